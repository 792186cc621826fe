// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/host_names.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/fabric/rules/host_name.h"

namespace espalier {
namespace {

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace

HostNames::HostNames(const Fabric& fabric) : fabric_(&fabric), by_port_guid_(fabric) {
  for (const EndportId e : fabric.endports()) {
    const Endport& port = fabric.at(e);
    by_node_guid_[index(port.node_guid)].push_back(e);
    by_description_[port.description].push_back(e);
    if (const auto host = host_in_description(port.description)) by_host_[std::string(*host)].push_back(e);
  }
}

std::vector<EndportId> HostNames::find(std::string_view name) const {
  if (name.starts_with("0x") || name.starts_with("0X")) {
    const std::optional<std::uint64_t> guid = parse_hex_digits(name.substr(2));
    if (!guid) return {};
    if (const EndportId e = by_port_guid_.find(Guid{*guid}); e != kNoEndport) return {e};
    const auto it = by_node_guid_.find(*guid);
    return it == by_node_guid_.end() ? std::vector<EndportId>{} : it->second;
  }
  if (const auto it = by_description_.find(std::string(name)); it != by_description_.end()) return it->second;
  if (const auto host = host_in_description(name))
    if (const auto it = by_host_.find(std::string(*host)); it != by_host_.end()) return it->second;
  if (by_description_without_blanks_.empty())
    for (const EndportId e : fabric_->endports())
      by_description_without_blanks_[without_blanks(fabric_->at(e).description)].push_back(e);
  if (const auto it = by_description_without_blanks_.find(std::string(name));
      it != by_description_without_blanks_.end())
    return it->second;
  const auto lid = parse_number<std::size_t>(name, 0, index(fabric_->top_lid()));
  if (!lid) return {};
  const EndportId e = fabric_->endport_of(id_at<Lid>(*lid));
  return e != kNoEndport ? std::vector<EndportId>{e} : std::vector<EndportId>{};
}

std::string HostNames::why_not(std::string_view name, const std::vector<EndportId>& found) const {
  if (found.size() < 2 || name.find(' ') == std::string_view::npos || fabric_->at(found.front()).description == name)
    return {};
  return fmt::format("there is no host named \"{}\", only {} with the same first word", name,
                     counted(found.size(), "port"));
}

}  // namespace espalier
