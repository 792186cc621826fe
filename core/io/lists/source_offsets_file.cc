// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/source_offsets_file.h"

#include <fmt/format.h>

#include <iterator>

#include "core/base/try.h"
#include "core/fabric/endport_index.h"
#include "core/fabric/endport_role.h"
#include "core/io/lists/guid_file.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

constexpr std::uint32_t kMostOffsets = 128;  // LMC 7

struct Digits {
  std::vector<std::uint32_t> radices;
  std::uint32_t number = 0;
};

// "1/2 0/2".
Result<Digits> read_digits(std::string_view text) {
  Digits digits;
  std::uint32_t weight = 1;
  for (io::Scanner scan(text); !scan.done() && !scan.at('#'); scan.skip_blanks()) {
    const auto digit = scan.eat_number<std::uint32_t>();
    const bool slash = scan.eat("/");
    const auto radix = scan.eat_number<std::uint32_t>();
    if (!digit || !slash || !radix || (!scan.done() && !io::is_blank(scan.rest().front())))
      return fail(fmt::format("\"{}\" is not a list of digits", text), "write digit/radix pairs separated by blanks");
    if (*radix < 2 || *digit >= *radix) return fail(fmt::format("{} is not a digit of radix {}", *digit, *radix));
    if (*radix > kMostOffsets || weight * *radix > kMostOffsets)
      return fail(fmt::format("\"{}\" asks for more than {} LIDs", text, kMostOffsets));
    digits.radices.push_back(*radix);
    digits.number += *digit * weight;
    weight *= *radix;
  }
  return digits;
}

}  // namespace

std::string write_source_offsets(const Fabric& fabric, const SourceOffsets& offsets) {
  std::string text;
  for (const EndportId e : fabric.endports()) {
    const Endport& host = fabric.at(e);
    if (!is_host(host)) continue;
    fmt::format_to(std::back_inserter(text), "0x{:016x}", index(host.port_guid));
    unsigned number = offsets.number[e];
    for (const std::uint32_t radix : offsets.radices) {
      fmt::format_to(std::back_inserter(text), " {}/{}", number % radix, radix);
      number /= radix;
    }
    fmt::format_to(std::back_inserter(text), "  # {}\n", host.description);
  }
  return text;
}

Result<SourceOffsets> read_source_offsets(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  ESPALIER_TRY(const auto lines, read_guid_lines(text, file_name));
  const EndportIndex endports(fabric);
  SourceOffsets offsets{{}, IdVector<EndportId, std::uint8_t>(fabric.num_endports())};
  for (const GuidLine& line : lines) {
    auto digits = read_digits(line.rest);
    if (!digits) return fail_at(file_name, line.line, digits.error().message, digits.error().advice);
    if (&line == &lines.front()) offsets.radices = digits->radices;
    if (digits->radices != offsets.radices)
      return fail_at(file_name, line.line, "the radices differ from those of the first line");
    if (const EndportId e = endports.find(line.guid); e != kNoEndport)
      offsets.number[e] = static_cast<std::uint8_t>(digits->number);
  }
  return offsets;
}

}  // namespace espalier
