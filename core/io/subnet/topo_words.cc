// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/topo_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/io/scanner.h"
#include "core/io/subnet/speed_words.h"

namespace espalier::io {
namespace {

struct NamedChip {
  std::string_view name;
  ChipType chip;
};

constexpr NodeKind kSw = NodeKind::kSwitch;
constexpr NodeKind kCa = NodeKind::kChannelAdapter;
constexpr std::array<NamedChip, 39> kChips{{{"SW", {kSw, 0}},
                                            {"CA", {kCa, 0}},
                                            {"HCA", {kCa, 0}},
                                            {"Buffalo", {kSw, 8}},
                                            {"MTS800", {kSw, 8}},
                                            {"Reindeer", {kSw, 24}},
                                            {"MTS2400", {kSw, 24}},
                                            {"MTS2400-24", {kSw, 24}},
                                            {"MTS2400-12T4", {kSw, 24}},
                                            {"Reindeer-12x12x", {kSw, 24}},
                                            {"MTS3600", {kSw, 36}},
                                            {"Shark", {kSw, 36}},
                                            {"IS4", {kSw, 36}},
                                            {"F464M", {kSw, 36}},
                                            {"Cheetah", {kCa, 1}},
                                            {"MHGS18-XT", {kCa, 1}},
                                            {"MT25204", {kCa, 1}},
                                            {"Cougar", {kCa, 2}},
                                            {"MT23108", {kCa, 2}},
                                            {"MTPB23108", {kCa, 2}},
                                            {"MHX-CE128-T", {kCa, 2}},
                                            {"MHX-CE256-T", {kCa, 2}},
                                            {"MHX-CE512-T", {kCa, 2}},
                                            {"MHXL-CF128-T", {kCa, 2}},
                                            {"MHXL-CF256-T", {kCa, 2}},
                                            {"MHXL-CF512-T", {kCa, 2}},
                                            {"Eagle", {kCa, 2}},
                                            {"MT25408", {kCa, 2}},
                                            {"MHEH28", {kCa, 2}},
                                            {"MHGH28", {kCa, 2}},
                                            {"Lion", {kCa, 2}},
                                            {"MT25208", {kCa, 2}},
                                            {"MTLP25208", {kCa, 2}},
                                            {"MHEL-CF128-T", {kCa, 2}},
                                            {"MHEL-CF256-T", {kCa, 2}},
                                            {"MHEL-CF512-T", {kCa, 2}},
                                            {"LionMini", {kCa, 2}},
                                            {"MHEA28-XT", {kCa, 2}},
                                            {"MT25218", {kCa, 2}}}};

}  // namespace

std::optional<ChipType> find_chip_type(std::string_view type) {
  const auto found = std::find_if(kChips.begin(), kChips.end(), [&](const NamedChip& c) { return c.name == type; });
  return found == kChips.end() ? std::nullopt : std::optional(found->chip);
}

bool is_arrow(std::string_view word) { return word.size() >= 2 && word.front() == '-' && word.back() == '>'; }

Result<LinkRate> parse_arrow(std::string_view word) {
  const auto no = [&] {
    return fail(fmt::format("\"{}\" is not an arrow", word), "write ->, or give width and speed as in -4x-10G->");
  };
  std::string_view rest = word.substr(1, word.size() - 2);  // "", "4x-", "10G-", "4x-10G-"
  if (rest.empty()) return LinkRate{};
  std::string_view width = "4";
  LinkSpeed speed = LinkSpeed::kSdr;
  while (!rest.empty()) {
    const std::size_t end = rest.find('-');
    if (end == std::string_view::npos || end < 2) return no();
    const std::string_view part = rest.substr(0, end - 1);
    const char unit = rest[end - 1];
    rest.remove_prefix(end + 1);
    if (unit == 'x' || unit == 'X') {
      width = part;
    } else if (unit == 'G') {
      speed = speed_called(part, &SpeedWords::opensm);
    } else {
      return no();
    }
  }
  const LinkRate rate = rate_of(width, speed);
  if (rate == LinkRate{}) return no();
  return rate;
}

Result<PortNum> parse_plug(std::string_view word) {
  Scanner plug(word);
  (void)plug.eat("U1/");
  (void)plug.eat("P");
  const auto port = plug.eat_number<std::uint32_t>();
  if (!port || *port == 0 || *port > 254 || !plug.done())
    return fail(fmt::format("\"{}\" is not a plug of a single-chip system (P1 to P254)", word),
                "a chassis has the plugs of its .ibnl file");
  return id_at<PortNum>(*port);
}

}  // namespace espalier::io
