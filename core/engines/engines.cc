// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/engines.h"

#include <array>

#include "core/engines/dmodc.h"

namespace espalier {
namespace {

constexpr std::array<std::string_view, 1> kNames{"dmodc"};

}  // namespace

std::span<const std::string_view> engine_names() { return kNames; }

std::unique_ptr<RoutingEngine> make_engine(std::string_view name, const EngineOptions&) {
  if (name == "dmodc") return std::make_unique<Dmodc>();
  return nullptr;
}

}  // namespace espalier
