// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/tables/lanes_to_write.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/base/text.h"
#include "core/io/lanes/lanes_file.h"
#include "core/tools/command.h"

namespace espalier::tools {

void add_lanes_to_write(CLI::App& command, std::string& path, const std::string& otherwise) {
  command.add_option(
      "--lanes", path,
      "File to write, for verify --lanes: service levels and virtual lanes; a single lane if " + otherwise);
}

unsigned num_vls(const std::optional<Lanes>& lanes) { return lanes ? lanes->num_vls() : 1; }

void save_lanes(const std::string& path, const Fabric& fabric, const std::optional<Lanes>& lanes) {
  if (!path.empty())
    save_text(path, write_lanes(fabric, lanes.value_or(one_lane(fabric))));
  else if (num_vls(lanes) > 1)
    warn(fmt::format("without its {} this routing can deadlock: save them with --lanes FILE",
                     counted(num_vls(lanes), "virtual lane")));
}

}  // namespace espalier::tools
