// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/schedule/schedule_file.h"

#include <fmt/format.h>

#include <cstddef>

#include "core/base/check.h"
#include "core/io/schedule/schedule_text.h"
#include "core/schedule/client/schedule_layout.h"

namespace espalier {
namespace {

using layout::kRests;

template <class Number>
void put(std::string& out, std::size_t at, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    out[at + i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
}

}  // namespace

std::string write_schedule_file(const Schedule& schedule) {
  const std::size_t servers = schedule.servers.size();
  check(servers <= kRests, "a schedule file has fewer than 65 536 servers");
  std::string out(layout::kHeaderSize + 8 * servers + 4 * servers * schedule.phases, '\0');
  out.replace(0, layout::kMagic.size(), layout::kMagic);
  put(out, layout::kVersionAt, layout::kVersion);
  put(out, layout::kHeaderSizeAt, static_cast<std::uint32_t>(layout::kHeaderSize));
  put(out, layout::kEpochAt, schedule.epoch);
  put(out, layout::kFileSizeAt, std::uint64_t{out.size()});
  put(out, layout::kPhasesAt, schedule.phases);
  put(out, layout::kBoundAt, schedule.bound);
  put(out, layout::kServersAt, static_cast<std::uint32_t>(servers));
  put(out, layout::kModeAt, static_cast<std::uint8_t>(schedule.mode));
  put(out, layout::kLmcAt, schedule.lmc);
  for (std::size_t s = 0; s < servers; ++s) put(out, layout::kHeaderSize + 8 * s, index(schedule.servers[s]));
  std::size_t at = layout::kHeaderSize + 8 * servers;
  for (const Send& send : schedule.sends) {
    put(out, at, static_cast<std::uint16_t>(send.destination == Send::kIdle ? kRests : send.destination));
    put(out, at + 2, static_cast<std::uint16_t>(send.dlid));
    at += 4;
  }
  put(out, layout::kChecksumAt, layout::checksum(out));
  return out;
}

Result<Schedule> read_schedule_file(std::string_view content, const std::string& file_name) {
  using layout::get;
  if (const std::string_view fault = layout::fault_of(content); !fault.empty())
    return fail_at(file_name, 0, fmt::format("not a complete schedule file: {}", fault), "create it again");
  Schedule schedule;
  schedule.epoch = get<std::uint64_t>(content, layout::kEpochAt);
  schedule.phases = get<std::uint32_t>(content, layout::kPhasesAt);
  schedule.bound = get<std::uint32_t>(content, layout::kBoundAt);
  schedule.mode = ScheduleMode{get<std::uint8_t>(content, layout::kModeAt)};
  schedule.lmc = get<std::uint8_t>(content, layout::kLmcAt);
  const std::size_t servers = get<std::uint32_t>(content, layout::kServersAt);
  for (std::size_t s = 0; s < servers; ++s)
    schedule.servers.push_back(Guid{get<std::uint64_t>(content, layout::kHeaderSize + 8 * s)});
  schedule.sends.resize(servers * schedule.phases);
  std::size_t at = layout::kHeaderSize + 8 * servers;
  for (Send& send : schedule.sends) {
    const std::uint32_t destination = get<std::uint16_t>(content, at);
    send = {destination == kRests ? Send::kIdle : destination, Lid{get<std::uint16_t>(content, at + 2)}};
    at += 4;
  }
  return schedule;
}

Result<Schedule> read_schedule(std::string_view content, const std::string& file_name) {
  return content.starts_with(layout::kMagic) ? read_schedule_file(content, file_name)
                                             : read_schedule_text(content, file_name);
}

}  // namespace espalier
