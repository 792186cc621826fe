// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/schedule_file.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/base/check.h"
#include "core/io/schedule_text.h"

namespace espalier {
namespace {

constexpr std::size_t kHeaderSize = 64;
constexpr std::size_t kChecksumAt = 32;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kRests = 0xFFFF;

template <class Number>
void put(std::string& out, std::size_t at, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    out[at + i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
}

template <class Number>
Number get(std::string_view in, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    value |= std::uint64_t{static_cast<unsigned char>(in[at + i])} << (8 * i);
  return static_cast<Number>(value);
}

Status check_header(std::string_view content, const std::string& file_name) {
  const auto wrong = [&](std::string_view what) {
    return fail_at(file_name, 0, fmt::format("no whole schedule file: {}", what), "have it written anew");
  };
  if (content.size() < kHeaderSize || !content.starts_with(kScheduleMagic)) return wrong("its first bytes differ");
  if (get<std::uint32_t>(content, 8) != kVersion || get<std::uint32_t>(content, 12) != kHeaderSize)
    return wrong(
        fmt::format("layout version {}, this program reads version {}", get<std::uint32_t>(content, 8), kVersion));
  const auto phases = std::uint64_t{get<std::uint32_t>(content, 40)};
  const auto servers = std::uint64_t{get<std::uint32_t>(content, 48)};
  if (servers > kRests || get<std::uint64_t>(content, 24) != content.size() ||
      content.size() != kHeaderSize + 8 * servers + 4 * servers * phases)
    return wrong("its size is not what its header says");
  if (get<std::uint64_t>(content, kChecksumAt) != schedule_checksum(content)) return wrong("the checksum differs");
  if (get<std::uint8_t>(content, 52) > 2 || get<std::uint8_t>(content, 53) > kMaxLmc)
    return wrong("an unknown mode or LMC");
  return {};
}

}  // namespace

std::uint64_t schedule_checksum(std::string_view file) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (std::size_t i = 0; i < file.size(); ++i) {
    if (i < kChecksumAt || i >= kChecksumAt + 8) hash ^= static_cast<unsigned char>(file[i]);
    hash *= 0x100000001B3;
  }
  return hash;
}

std::string write_schedule_file(const Schedule& schedule) {
  const std::size_t servers = schedule.servers.size();
  check(servers <= kRests, "a schedule file has fewer than 65 536 servers");
  std::string out(kHeaderSize + 8 * servers + 4 * servers * schedule.phases, '\0');
  out.replace(0, kScheduleMagic.size(), kScheduleMagic);
  put(out, 8, kVersion);
  put(out, 12, static_cast<std::uint32_t>(kHeaderSize));
  put(out, 16, schedule.epoch);
  put(out, 24, std::uint64_t{out.size()});
  put(out, 40, schedule.phases);
  put(out, 44, schedule.bound);
  put(out, 48, static_cast<std::uint32_t>(servers));
  put(out, 52, static_cast<std::uint8_t>(schedule.mode));
  put(out, 53, schedule.lmc);
  for (std::size_t s = 0; s < servers; ++s) put(out, kHeaderSize + 8 * s, index(schedule.servers[s]));
  std::size_t at = kHeaderSize + 8 * servers;
  for (const Send& send : schedule.sends) {
    put(out, at, static_cast<std::uint16_t>(send.destination == Send::kIdle ? kRests : send.destination));
    put(out, at + 2, static_cast<std::uint16_t>(send.dlid));
    at += 4;
  }
  put(out, kChecksumAt, schedule_checksum(out));
  return out;
}

Result<Schedule> read_schedule_file(std::string_view content, const std::string& file_name) {
  if (Status ok = check_header(content, file_name); !ok) return tl::unexpected(ok.error());
  Schedule schedule;
  schedule.epoch = get<std::uint64_t>(content, 16);
  schedule.phases = get<std::uint32_t>(content, 40);
  schedule.bound = get<std::uint32_t>(content, 44);
  schedule.mode = ScheduleMode{get<std::uint8_t>(content, 52)};
  schedule.lmc = get<std::uint8_t>(content, 53);
  const std::size_t servers = get<std::uint32_t>(content, 48);
  for (std::size_t s = 0; s < servers; ++s) {
    schedule.servers.push_back(Guid{get<std::uint64_t>(content, kHeaderSize + 8 * s)});
    if (s > 0 && schedule.servers[s - 1] >= schedule.servers[s])
      return fail_at(file_name, 0, "the GUIDs of a schedule file ascend, these do not");
  }
  schedule.sends.resize(servers * schedule.phases);
  std::size_t at = kHeaderSize + 8 * servers;
  for (Send& send : schedule.sends) {
    const std::uint32_t destination = get<std::uint16_t>(content, at);
    if (destination != kRests && destination >= servers)
      return fail_at(file_name, 0, fmt::format("server {} of {}", destination, servers));
    send = {destination == kRests ? Send::kIdle : destination, Lid{get<std::uint16_t>(content, at + 2)}};
    at += 4;
  }
  return schedule;
}

Result<Schedule> read_schedule(std::string_view content, const std::string& file_name) {
  return content.starts_with(kScheduleMagic) ? read_schedule_file(content, file_name)
                                             : read_schedule_text(content, file_name);
}

}  // namespace espalier
