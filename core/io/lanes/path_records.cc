// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lanes/path_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/try.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

struct Record {
  std::optional<std::uint32_t> source, destination, sl;
  int line = 0;  // of its head
};

class PathRecordReader {
 public:
  PathRecordReader(const Fabric& fabric, const std::string& file) : fabric_(fabric), file_(file), levels_(fabric) {}

  Result<PairLevels> read(std::string_view text) {
    io::Lines lines(text);
    while (const auto line = lines.next()) {
      io::Scanner scan(*line);
      scan.skip_blanks();
      if (scan.done() || scan.at('#')) continue;
      ESPALIER_TRY_STATUS(take(scan, lines.number()));
    }
    ESPALIER_TRY_STATUS(finish());
    if (num_records_ == 0)
      return fail_at(file_, std::max(lines.number(), 1), "no path record", "saquery -p prints them all");
    return std::move(levels_);
  }

 private:
  Status take(io::Scanner& scan, int line) {
    if (io::is_digit(scan.rest().front())) return take_triple(scan, line);
    if (scan.rest().starts_with("PathRecord")) {
      if (Status ok = finish(); !ok) return ok;
      open_ = Record{{}, {}, {}, line};
      return {};
    }
    if (!open_) return fail_at(file_, line, "neither a path record nor SLID DLID SL");
    if (scan.eat("dlid.")) return take_field(scan, line, open_->destination);
    if (scan.eat("slid.")) return take_field(scan, line, open_->source);
    if (scan.eat("sl.")) return take_field(scan, line, open_->sl);
    return {};  // another field
  }

  Status take_field(io::Scanner& scan, int line, std::optional<std::uint32_t>& field) {
    while (scan.eat(".")) {
    }
    const int base = scan.eat("0x") ? 16 : 10;
    field = scan.eat_number<std::uint32_t>(base);
    if (!field || !scan.done()) return fail_at(file_, line, "a number is expected behind the dots");
    return {};
  }

  Status take_triple(io::Scanner& scan, int line) {
    if (Status ok = finish(); !ok) return ok;
    std::array<std::uint32_t, 3> numbers{};
    for (std::uint32_t& number : numbers) {
      const auto value = scan.eat_number<std::uint32_t>();
      if (!value) return fail_at(file_, line, "a line is SLID DLID SL, three numbers");
      number = *value;
      scan.skip_blanks();
    }
    if (!scan.done()) return fail_at(file_, line, "a line is SLID DLID SL, three numbers");
    open_ = Record{numbers[0], numbers[1], numbers[2], line};
    return finish();
  }

  Status finish() {
    if (!open_) return {};
    const Record record = *std::exchange(open_, std::nullopt);
    if (!record.source || !record.destination || !record.sl)
      return fail_at(file_, record.line, "a path record without slid, dlid or sl");
    if (*record.sl >= kNumSls)
      return fail_at(file_, record.line, fmt::format("service level {}: they end at 15", *record.sl));
    ++num_records_;
    if (is_owned(*record.source) && is_owned(*record.destination))
      levels_.set(id_at<Lid>(*record.source), id_at<Lid>(*record.destination), static_cast<std::uint8_t>(*record.sl));
    return {};
  }

  [[nodiscard]] bool is_owned(std::uint32_t lid) const {
    return lid > 0 && lid <= index(fabric_.top_lid()) && fabric_.is_in_use(id_at<Lid>(lid));
  }

  const Fabric& fabric_;
  const std::string& file_;
  PairLevels levels_;
  std::optional<Record> open_;
  std::uint64_t num_records_ = 0;
};

}  // namespace

Result<PairLevels> read_path_records(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  if (!PairLevels::fits(fabric)) return fail_at(file_name, 0, "the fabric has too many pairs of LIDs for path records");
  return PathRecordReader(fabric, file_name).read(text);
}

}  // namespace espalier
