// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/setup/opensm_setup.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "core/base/split.h"
#include "core/tools/setup/guid_lists.h"

namespace espalier::tools {
namespace {

constexpr const char* kPlugin = "libespalier.so";

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

// As OpenSM reads numbers of 8 bits: decimal, octal or hexadecimal.
std::uint8_t number_of(const std::string& value) {
  return static_cast<std::uint8_t>(std::strtoul(value.c_str(), nullptr, 0));
}

std::vector<std::string> words_of(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text, ", \t");
  return {words.begin(), words.end()};
}

// Symbols that only OpenSM has are bound when they are called, which is never here. The library stays loaded: it is
// marked so (nodelete).
struct LoadedPlugin {
  void* handle = ::dlopen(kPlugin, RTLD_LAZY | RTLD_LOCAL);
  std::string error = handle == nullptr ? ::dlerror() : "";
};
const LoadedPlugin& loaded_plugin() {
  static const LoadedPlugin plugin;
  return plugin;
}

}  // namespace

LanesLeft lanes_left_by(const OpenSmConf& conf) {
  LanesLeft left;
  const unsigned allowed = lanes_of_max_op_vls(conf.max_op_vls);
  if (allowed < left.lanes) left = {allowed, fmt::format("max_op_vls {}", conf.max_op_vls), "raise it"};
  const unsigned served = served_lanes(conf.vl_arbitration);
  if (served < left.lanes)
    left = {served, "VL arbitration (qos_vlarb_low, qos_vlarb_high)", "give more lanes a weight"};
  return left;
}

OpenSmConf parse_opensm_conf(std::string_view text) {
  OpenSmConf conf;
  VlArbitration for_all;
  std::string own_low;  // of the ports between switches
  std::string own_high;
  for (const std::string_view line : split(text, '\n')) {
    const std::string content = trimmed(line.substr(0, line.find('#')));
    const std::size_t blank = content.find_first_of(" \t");
    if (blank == std::string::npos) continue;
    const std::string key = content.substr(0, blank);
    std::string value = trimmed(std::string_view(content).substr(blank));
    if (value == "(null)") value.clear();
    if (key == "event_plugin_name") conf.plugins = words_of(value);
    if (key == "event_plugin_options") conf.options = value;
    if (key == "routing_engine") conf.engines = words_of(value);
    if (key == "max_op_vls") conf.max_op_vls = number_of(value);
    if (key == "qos_vlarb_low" && !value.empty()) for_all.low = value;
    if (key == "qos_vlarb_high" && !value.empty()) for_all.high = value;
    if (key == "qos_swe_vlarb_low") own_low = value;
    if (key == "qos_swe_vlarb_high") own_high = value;
    if (is_guid_list(key) && !value.empty()) conf.guid_lists[key] = value;
    if (key == "lmc") conf.has_lmc = number_of(value) != 0;
    if (key == "qos") conf.qos = value == "TRUE";  // to OpenSM all else is FALSE
  }
  conf.vl_arbitration = {own_low.empty() ? for_all.low : own_low, own_high.empty() ? for_all.high : own_high};
  return conf;
}

std::optional<std::string> version_of_opensm() {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      ::popen("PATH=$PATH:/usr/sbin timeout 5 opensm --version 2>/dev/null", "r"), ::pclose);
  if (!pipe) return std::nullopt;
  std::array<char, 256> line{};
  while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    const std::string text = trimmed(std::string_view(line.data()).substr(0, std::string_view(line.data()).find('\n')));
    if (text.starts_with("OpenSM ")) return text;
  }
  return std::nullopt;
}

Result<InstalledPlugin> find_plugin() {
  void* const handle = loaded_plugin().handle;
  if (handle == nullptr)
    return fail(loaded_plugin().error, "install the package, or run ldconfig after cmake --install");
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
    return fail("the dynamic loader does not report where it found " + std::string(kPlugin));
  // The first member of osm_event_plugin_t is the version that OpenSM compares.
  const void* const plugin = ::dlsym(handle, "osm_event_plugin");
  if (plugin == nullptr) return fail(std::string(map->l_name) + " is not an OpenSM plugin");
  return InstalledPlugin{map->l_name, *static_cast<const char* const*>(plugin)};
}

std::string config_error(const std::string& path) {
  using Check = const char* (*)(const char*);
  const auto check = reinterpret_cast<Check>(::dlsym(loaded_plugin().handle, "espalier_config_error"));
  return check == nullptr ? "" : check(path.c_str());
}

std::string engine_error(const std::string& path, const std::string& engine) {
  using Check = const char* (*)(const char*, const char*);
  const auto check = reinterpret_cast<Check>(::dlsym(loaded_plugin().handle, "espalier_engine_error"));
  return check == nullptr ? "" : check(path.c_str(), engine.c_str());
}

}  // namespace espalier::tools
