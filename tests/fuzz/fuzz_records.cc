// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A file of records of any content is refused or read; what is read is what its whole lines say, and cutting it off
// there loses nothing but the beginning of one more record.
#include "core/tools/campaign/record_text.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = tools::read_records(text, "fuzz");
  if (!read) {
    expect(read.error().file == "fuzz" && read.error().line > 0, "an error without file or line");
    return 0;
  }
  expect(read->whole <= size && (read->whole == 0 || text[read->whole - 1] == '\n'), "a line is cut");
  const auto again = tools::read_records(text.substr(0, read->whole), "fuzz");
  expect(again.has_value() && again->records == read->records && again->whole == read->whole,
         "other records after the cut");
  expect(size - read->whole < 11 || text.substr(read->whole, 11) == "{\"fabric\":\"", "what is cut off is no record");
  return 0;
}
