// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/fabric_text.h"

#include <chrono>

#include "core/io/fabric_reader.h"
#include "core/io/net/net_writer.h"
#include "core/live/discovery_cache.h"
#include "core/tools/campaign/child_process.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

constexpr std::chrono::seconds kCacheLimit{60};

// In a process of its own: libibnetdisc trusts the file, and some damaged ones keep it busy for ever.
std::string text_of_cache(const std::string& content, const std::string& path) {
  Result<std::string> text = run_in_child(kCacheLimit, [&] {
    const live::LiveSubnet subnet = value_or_refuse(live::read_discovery_cache(content, {}));
    for (const std::string& warning : subnet.warnings) warn(path + ": " + warning);
    return write_net(subnet.fabric);
  });
  if (text) return *std::move(text);
  if (text.error().file.empty()) text.error().file = path;
  throw Refused{std::move(text.error())};
}

}  // namespace

std::string load_fabric_text(const std::string& path) {
  std::string text = load_text(path);
  return is_discovery_cache(text) ? text_of_cache(text, path) : text;
}

}  // namespace espalier::tools
