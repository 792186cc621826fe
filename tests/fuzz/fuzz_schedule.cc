// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever schedule is accepted, as text or binary, is written in both forms and reads back the same. So that the
// mutations of a binary file get past the checksum, they get a good one first.
#include <algorithm>

#include "core/io/schedule/schedule_file.h"
#include "core/io/schedule/schedule_text.h"
#include "core/schedule/client/schedule_layout.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  std::string content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with(layout::kMagic) && size >= 64) {
    const std::uint64_t checksum = layout::checksum(content);
    for (std::size_t i = 0; i < 8; ++i)
      content[layout::kChecksumAt + i] = static_cast<char>(checksum >> (8 * i) & 0xFF);
  }
  const auto schedule = read_schedule(content, "fuzz");
  if (!schedule) {
    expect(schedule.error().file == "fuzz" && !schedule.error().message.empty(), "an error without file or message");
    return 0;
  }
  if (schedule->servers.size() > 1000 || schedule->sends.size() > 1'000'000) return 0;
  const auto from_file = read_schedule(write_schedule_file(*schedule), "written.esp");
  expect(from_file.has_value() && *from_file == *schedule, "another schedule from the file");
  const bool has_flow = std::any_of(schedule->sends.begin(), schedule->sends.end(),
                                    [](const Send& send) { return send.destination != Send::kIdle; });
  if (!has_flow) return 0;  // no text says that
  const auto from_text = read_schedule(write_schedule_text(*schedule), "written.txt");
  expect(from_text.has_value() && from_text->phases == schedule->phases, "another schedule from the text");
  return 0;
}
