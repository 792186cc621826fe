// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/client/schedule_layout.h"

#include <charconv>
#include <system_error>

namespace espalier::layout {
namespace {

constexpr std::uint8_t kLastMode = 2;
constexpr std::uint8_t kLastLmc = 7;

std::string_view fault_of_body(std::string_view file, std::size_t servers, std::size_t phases) {
  for (std::size_t s = 1; s < servers; ++s)
    if (get<std::uint64_t>(file, kHeaderSize + 8 * s - 8) >= get<std::uint64_t>(file, kHeaderSize + 8 * s))
      return "its GUIDs do not ascend";
  const std::size_t first = kHeaderSize + 8 * servers;
  for (std::size_t i = 0; i < servers * phases; ++i)
    if (const auto to = get<std::uint16_t>(file, first + 4 * i); to != kRests && to >= servers)
      return "a destination is not one of its servers";
  return {};
}

}  // namespace

std::uint64_t checksum(std::string_view file) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (i < kChecksumAt || i >= kChecksumAt + 8) hash ^= static_cast<unsigned char>(file[i]);
    hash *= 0x100000001B3;
  }
  return hash;
}

std::string_view fault_of(std::string_view file) {
  if (file.size() < kHeaderSize || !file.starts_with(kMagic)) return "its first bytes are not those of a schedule";
  if (get<std::uint32_t>(file, kVersionAt) != kVersion || get<std::uint32_t>(file, kHeaderSizeAt) != kHeaderSize)
    return "its layout is not version 1";
  const auto phases = std::uint64_t{get<std::uint32_t>(file, kPhasesAt)};
  const auto servers = std::uint64_t{get<std::uint32_t>(file, kServersAt)};
  if (servers > kRests || get<std::uint64_t>(file, kFileSizeAt) != file.size() ||
      file.size() != kHeaderSize + 8 * servers + 4 * servers * phases)
    return "its size does not match its header";
  if (get<std::uint64_t>(file, kChecksumAt) != checksum(file)) return "the checksum differs";
  if (get<std::uint8_t>(file, kModeAt) > kLastMode || get<std::uint8_t>(file, kLmcAt) > kLastLmc)
    return "an unknown mode or LMC";
  return fault_of_body(file, servers, phases);
}

std::uint64_t epoch_of_file_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return 0;
  if (name.size() != kPrefix.size() + kEpochDigits + kSuffix.size()) return 0;
  std::uint64_t epoch = 0;
  const char* const end = name.data() + name.size() - kSuffix.size();
  const auto [rest, bad] = std::from_chars(name.data() + kPrefix.size(), end, epoch);
  return bad == std::errc() && rest == end ? epoch : 0;
}

}  // namespace espalier::layout
