// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/find_node.h"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kMaxLidDigits = 4;   // hexadecimal
constexpr std::size_t kMaxNamedNodes = 5;  // in an error

Node node_of(const Fabric& fabric, SwitchId s) { return {s, kNoEndport, fabric.at(s).lid}; }
Node node_of(const Fabric& fabric, EndportId e) { return {fabric.at(e).leaf, e, fabric.at(e).lid}; }

Result<Node> with_lid(const Fabric& fabric, std::uint64_t lid) {
  if (lid > index(fabric.top_lid()) || !fabric.is_in_use(id_at<Lid>(lid)))
    return fail(fmt::format("no node has LID {}", lid));
  const LidOwner& owner = fabric.owner(id_at<Lid>(lid));
  Node node = owner.kind == LidOwner::Kind::kSwitch ? node_of(fabric, SwitchId{owner.id})
                                                    : node_of(fabric, EndportId{owner.id});
  node.lid = id_at<Lid>(lid);
  return node;
}

// The one of these ports of one channel adapter that has the number; nothing: they are something else.
std::optional<Node> port_of_adapter(const Fabric& fabric, const std::vector<Node>& nodes, unsigned port) {
  std::optional<Node> found;
  for (const Node& node : nodes) {
    if (node.is_switch() || nodes.front().is_switch()) return std::nullopt;
    const Endport& endport = fabric.at(node.endport);
    if (endport.node_guid != fabric.at(nodes.front().endport).node_guid) return std::nullopt;
    if (index(endport.port) == port) found = node;
  }
  return found;
}

// One, or an error that says why not.
Result<Node> only_one(const Fabric& fabric, const std::vector<Node>& nodes, std::string_view words,
                      std::optional<unsigned> port) {
  if (nodes.size() == 1) return nodes.front();
  if (port)
    if (const std::optional<Node> meant = port_of_adapter(fabric, nodes, *port)) return *meant;
  if (nodes.empty())
    return fail(fmt::format("there is no node named \"{}\"", words), "give a GUID, a LID or a description");
  std::string names;
  for (std::size_t i = 0; i < nodes.size() && i < kMaxNamedNodes; ++i)
    names += fmt::format("{}LID {} {}", i == 0 ? "" : ", ", index(nodes[i].lid), label(fabric, nodes[i]));
  if (nodes.size() > kMaxNamedNodes) names += ", ...";
  return fail(fmt::format("\"{}\" matches {}: {}", words, counted(nodes.size(), "node"), names),
              "be more specific, or give a LID");
}

std::vector<Node> with_guid(const Fabric& fabric, Guid guid) {
  std::vector<Node> nodes;
  if (const SwitchId s = fabric.find_switch(guid); s != kNoSwitch) nodes.push_back(node_of(fabric, s));
  if (const EndportId e = fabric.find_endport(guid); e != kNoEndport) nodes.push_back(node_of(fabric, e));
  if (!nodes.empty()) return nodes;
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).node_guid == guid) nodes.push_back(node_of(fabric, e));
  return nodes;
}

template <class Fits>
std::vector<Node> with_description(const Fabric& fabric, Fits fits) {
  std::vector<Node> nodes;
  for (const SwitchId s : fabric.switches())
    if (fits(std::string_view(fabric.at(s).description))) nodes.push_back(node_of(fabric, s));
  for (const EndportId e : fabric.endports())
    if (fits(std::string_view(fabric.at(e).description))) nodes.push_back(node_of(fabric, e));
  return nodes;
}

// Whether `words` stands in `text` with no letter or digit on either side: "spine 3" in "spine 3 of rack 7", not in
// "spine 30".
bool has_whole_words(std::string_view text, std::string_view words) {
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]));
  };
  for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1))
    if ((at == 0 || !is_word(at - 1)) && !is_word(at + words.size())) return true;
  return false;
}

Result<Node> find(const Fabric& fabric, std::string_view words, std::optional<unsigned> port) {
  if (const auto lid = parse_number<std::uint64_t>(words)) return with_lid(fabric, *lid);
  if (words.starts_with("0x") || words.starts_with("0X"))
    if (const auto number = parse_hex_digits(words.substr(2))) {
      if (words.size() - 2 <= kMaxLidDigits) return with_lid(fabric, *number);
      return only_one(fabric, with_guid(fabric, Guid{*number}), words, port);
    }
  const std::vector<Node> exact = with_description(fabric, [&](std::string_view text) { return text == words; });
  if (!exact.empty()) return only_one(fabric, exact, words, port);
  const std::vector<Node> whole_words =
      with_description(fabric, [&](std::string_view text) { return has_whole_words(text, words); });
  if (!whole_words.empty()) return only_one(fabric, whole_words, words, port);
  return only_one(fabric,
                  with_description(fabric, [&](std::string_view text) { return text.find(words) != text.npos; }), words,
                  port);
}

}  // namespace

Result<Node> find_node(const Fabric& fabric, std::string_view words, std::optional<unsigned> port) {
  Result<Node> node = find(fabric, words, port);
  if (node && node->at == kNoSwitch) return fail(fmt::format("{} is not attached to a switch", label(fabric, *node)));
  return node;
}

std::string label(const Fabric& fabric, const Node& node) {
  return node.is_switch() ? fabric.label(node.at) : fabric.label(node.endport);
}

}  // namespace espalier::tools
