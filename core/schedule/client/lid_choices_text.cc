// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/client/lid_choices_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/number.h"
#include "core/base/split.h"
#include "core/base/try.h"

namespace espalier {
namespace {

constexpr unsigned kMostOffset = 127;
constexpr std::size_t kMostHostClasses = 0xC000;
constexpr std::size_t kMostCells = std::size_t{1} << 25;  // source classes x destination classes
constexpr std::size_t kMostLists = std::size_t{1} << 16;

using Words = std::vector<std::string_view>;

std::optional<std::uint32_t> number_of(std::string_view word, std::size_t end) {
  const auto value = parse_number<std::size_t>(word);
  return value && *value < end ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::optional<std::uint64_t> guid_of(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  return parse_hex_digits(word);
}

// "3:0.75".
std::optional<WeightedOffset> offset_of(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto offset = number_of(word.substr(0, colon), kMostOffset + 1);
  const auto weight = parse_number<double>(word.substr(colon + 1));
  if (!offset || !weight || *weight <= 0) return std::nullopt;
  return WeightedOffset{static_cast<std::uint8_t>(*offset), *weight};
}

Result<WeightedOffsets> list_of(const Words& words) {
  WeightedOffsets list;
  for (const std::string_view word : words) {
    const auto next = offset_of(word);
    if (!next)
      return fail(fmt::format("\"{}\" is not OFFSET:WEIGHT", word),
                  "offsets go from 0 to 127, weights are above 0, as in 3:0.75");
    if (std::any_of(list.begin(), list.end(), [&](const WeightedOffset& w) { return w.offset == next->offset; }))
      return fail(fmt::format("offset {} is said twice", next->offset));
    list.push_back(*next);
  }
  if (list.empty()) return fail("no OFFSET:WEIGHT");
  return list;
}

class LineReader {
 public:
  explicit LineReader(LidChoicesSink& sink) : sink_(sink) {}

  Status take(Words words) {
    const std::string_view first = words.front();
    if (first == "choices") return take_classes(words);
    began_ = true;
    if (first.starts_with("0x")) return take_pair(words);
    if (words.size() < 2 || !words[1].ends_with(':')) return fail("a number and ':' are missing");
    const std::string_view number = words[1].substr(0, words[1].size() - 1);
    words.erase(words.begin(), words.begin() + 2);
    if (first == "list") return take_list(number, words);
    if (first == "source" || first == "destination") return take_members(first == "source", number, words);
    if (first == "use") return take_row(number, words);
    return fail(fmt::format("\"{}\" is not a word of such files", first),
                "valid words are choices, list, source, destination, use and port GUIDs");
  }

 private:
  Status take_classes(const Words& words) {
    if (began_) return fail("`choices` must be the first line, once");
    began_ = true;
    const auto sources = words.size() == 3 ? number_of(words[1], kMostHostClasses + 1) : std::nullopt;
    const auto destinations = words.size() == 3 ? number_of(words[2], kMostHostClasses + 1) : std::nullopt;
    if (!sources || !destinations || *sources == 0 || *destinations == 0 ||
        std::size_t{*sources} * *destinations > kMostCells)
      return fail("`choices` takes the number of source classes and that of destination classes");
    sources_ = *sources;
    destinations_ = *destinations;
    has_row_.assign(sources_, false);
    sink_.set_classes(sources_, destinations_);
    return {};
  }

  Status take_list(std::string_view number, const Words& words) {
    const auto wanted = number_of(number, kMostLists);
    if (!wanted || *wanted != lists_) return fail(fmt::format("list {} should follow", lists_));
    ESPALIER_TRY(const WeightedOffsets list, list_of(words));
    sink_.add_list(list);
    ++lists_;
    return {};
  }

  Status take_members(bool sources, std::string_view number, const Words& words) {
    const auto c = number_of(number, sources ? sources_ : destinations_);
    if (!c) return fail("there is no such class");
    for (const std::string_view word : words) {
      const auto guid = guid_of(word);
      if (!guid) return fail(fmt::format("\"{}\" is not a port GUID", word));
      if (sources)
        sink_.set_source_class(*guid, *c);
      else
        sink_.set_destination_class(*guid, *c);
    }
    return {};
  }

  Status take_row(std::string_view number, const Words& words) {
    const auto source = number_of(number, sources_);
    if (!source) return fail("there is no such class of sources");
    // Else a short file could fill the same row for hours.
    if (has_row_[*source]) return fail(fmt::format("the lists of source class {} are said twice", *source));
    has_row_[*source] = true;
    std::uint32_t next = 0;
    for (const std::string_view word : words) {
      const std::size_t star = word.find('*');
      const auto list = number_of(word.substr(0, star), lists_);
      const auto count = star == std::string_view::npos ? std::optional<std::uint32_t>(1)
                                                        : number_of(word.substr(star + 1), kMostHostClasses + 1);
      if (!list || !count || *count > destinations_ - next)
        return fail(fmt::format("\"{}\" is not the number of a list, or too many of them", word));
      for (std::uint32_t i = 0; i < *count; ++i) sink_.use(*source, next++, *list);
    }
    if (next != destinations_) return fail(fmt::format("{} lists for {} classes of destinations", next, destinations_));
    return {};
  }

  Status take_pair(Words words) {
    const auto from = guid_of(words[0]);
    const auto to = words.size() < 2 ? std::nullopt : guid_of(words[1]);
    if (!from || !to) return fail("a pair needs two port GUIDs");
    words.erase(words.begin(), words.begin() + 2);
    ESPALIER_TRY(const WeightedOffsets list, list_of(words));
    sink_.use_between(*from, *to, list);
    return {};
  }

  LidChoicesSink& sink_;
  std::uint32_t sources_ = 1;
  std::uint32_t destinations_ = 1;
  std::uint32_t lists_ = 1;
  std::vector<bool> has_row_{false};  // per source class
  bool began_ = false;
};

}  // namespace

Status parse_lid_choices(std::string_view text, const std::string& file_name, LidChoicesSink& sink) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  LineReader reader(sink);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Words words = split_words(line.substr(0, line.find('#')), " \t\n\v\f\r");
    if (words.empty()) continue;
    if (Status ok = reader.take(std::move(words)); !ok)
      return fail_at(file_name, number, ok.error().message, ok.error().advice);
  }
  return {};
}

}  // namespace espalier
