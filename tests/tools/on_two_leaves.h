// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A subcommand that measures tables, on two leaves with four hosts each, h0 ... h7, and two roots: half the uplinks.
// 12.89 Gbyte/s on each link (4xEDR).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/drawing.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {

class OnTwoLeaves : public EspalierCommand {
 protected:
  explicit OnTwoLeaves(std::string subcommand) : subcommand_(std::move(subcommand)) {
    write("net", draw("L0:4 L1:4 ; L0-S0 L1-S0 L0-S1 L1-S1", 1));
    run_well("route net --engine dmodc --lmc 1 -o lfts");
  }
  [[nodiscard]] nlohmann::json measured(const std::string& options) const {
    return nlohmann::json::parse(run_well(subcommand_ + " net lfts --json " + options));
  }
  [[nodiscard]] std::string refusal(const std::string& options) const {
    return refusal_of(subcommand_ + " net lfts " + options);
  }

 private:
  std::string subcommand_;
};

}  // namespace espalier::test
