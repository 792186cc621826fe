// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/lid_choices_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/base/number.h"
#include "core/base/try.h"
#include "core/fabric/endport_index.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

constexpr unsigned kMostOffset = 127;
constexpr std::size_t kMostHostClasses = 0xC000;
constexpr std::size_t kMostCells = std::size_t{1} << 25;  // source classes x destination classes
constexpr std::size_t kMostLists = std::size_t{1} << 16;

std::optional<std::size_t> number_of(std::string_view word, std::size_t end) {
  const auto value = parse_number<std::size_t>(word);
  return value && *value < end ? value : std::nullopt;
}

// "3:0.75".
std::optional<LidChoice> choice_of(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto offset = number_of(word.substr(0, colon), kMostOffset + 1);
  const auto weight = parse_number<double>(word.substr(colon + 1));
  if (!offset || !weight || *weight <= 0) return std::nullopt;
  return LidChoice{static_cast<std::uint8_t>(*offset), *weight};
}

Result<LidChoiceList> list_of(std::vector<std::string_view> words) {
  LidChoiceList list;
  for (const std::string_view word : words) {
    const auto choice = choice_of(word);
    if (!choice)
      return fail(fmt::format("\"{}\" is not OFFSET:WEIGHT", word),
                  "offsets go from 0 to 127, weights are above 0, as in 3:0.75");
    if (std::any_of(list.begin(), list.end(), [&](const LidChoice& known) { return known.offset == choice->offset; }))
      return fail(fmt::format("offset {} is said twice", choice->offset));
    list.push_back(*choice);
  }
  if (list.empty()) return fail("no OFFSET:WEIGHT");
  return list;
}

class ChoicesReader {
 public:
  explicit ChoicesReader(const Fabric& fabric) : ports_(fabric), choices_(fabric.num_endports()), count_(fabric) {}

  Status take(std::vector<std::string_view> words) {
    const std::string_view first = words.front();
    if (first.starts_with("0x")) return take_pair(words);
    if (first == "choices") return take_classes(words);
    if (words.size() < 2 || !words[1].ends_with(':')) return fail("a number and ':' are missing");
    const std::string_view number = words[1].substr(0, words[1].size() - 1);
    words.erase(words.begin(), words.begin() + 2);
    if (first == "list") return take_list(number, words);
    if (first == "source" || first == "destination") return take_members(first == "source", number, words);
    if (first == "use") return take_row(number, words);
    return fail(fmt::format("\"{}\" is not a word of such files", first),
                "valid words are choices, list, source, destination, use and port GUIDs");
  }

  LidChoices take_choices() { return std::move(choices_); }

 private:
  Status take_classes(const std::vector<std::string_view>& words) {
    if (began_) return fail("`choices` must be the first line, once");
    began_ = true;
    const auto sources = words.size() == 3 ? number_of(words[1], kMostHostClasses + 1) : std::nullopt;
    const auto destinations = words.size() == 3 ? number_of(words[2], kMostHostClasses + 1) : std::nullopt;
    if (!sources || !destinations || *sources == 0 || *destinations == 0 || *sources * *destinations > kMostCells)
      return fail("`choices` takes the number of source classes and that of destination classes");
    choices_ = LidChoices(count_.get().num_endports(), *sources, *destinations);
    return {};
  }

  Status take_list(std::string_view number, const std::vector<std::string_view>& words) {
    began_ = true;
    const auto wanted = number_of(number, kMostLists);
    if (!wanted || *wanted != lists_.size()) return fail(fmt::format("list {} should follow", lists_.size()));
    ESPALIER_TRY(const LidChoiceList list, list_of(words));
    lists_.push_back(choices_.add_list(list));
    return {};
  }

  Status take_members(bool sources, std::string_view number, const std::vector<std::string_view>& words) {
    began_ = true;
    const auto c = number_of(number, sources ? choices_.num_sources() : choices_.num_destinations());
    if (!c) return fail("there is no such class");
    for (const std::string_view word : words) {
      const auto port = port_of(word);
      if (!port) return fail(fmt::format("\"{}\" is not a port GUID", word));
      if (*port == kNoEndport) continue;
      if (sources)
        choices_.set_source_class(*port, static_cast<std::uint32_t>(*c));
      else
        choices_.set_destination_class(*port, static_cast<std::uint32_t>(*c));
    }
    return {};
  }

  Status take_row(std::string_view number, const std::vector<std::string_view>& words) {
    began_ = true;
    const auto source = number_of(number, choices_.num_sources());
    if (!source) return fail("there is no such class of sources");
    std::size_t next = 0;
    for (const std::string_view word : words) {
      const std::size_t star = word.find('*');
      const auto list = number_of(word.substr(0, star), lists_.size());
      const auto count = star == std::string_view::npos ? std::optional<std::size_t>(1)
                                                        : number_of(word.substr(star + 1), kMostHostClasses + 1);
      if (!list || !count || *count > choices_.num_destinations() - next)
        return fail(fmt::format("\"{}\" is not the number of a list, or too many of them", word));
      for (std::size_t i = 0; i < *count; ++i)
        choices_.use(static_cast<std::uint32_t>(*source), static_cast<std::uint32_t>(next++), lists_[*list]);
    }
    if (next != choices_.num_destinations())
      return fail(fmt::format("{} lists for {} classes of destinations", next, choices_.num_destinations()));
    return {};
  }

  Status take_pair(std::vector<std::string_view> words) {
    began_ = true;
    const auto from = port_of(words[0]);
    const auto to = words.size() < 2 ? std::nullopt : port_of(words[1]);
    if (!from || !to) return fail("a pair needs two port GUIDs");
    words.erase(words.begin(), words.begin() + 2);
    ESPALIER_TRY(const LidChoiceList list, list_of(std::move(words)));
    if (*from != kNoEndport && *to != kNoEndport) choices_.use_between(*from, *to, choices_.add_list(list));
    return {};
  }

  // kNoEndport: of no end port here; nothing: no GUID.
  [[nodiscard]] std::optional<EndportId> port_of(std::string_view word) const {
    const auto guid = io::parse_hex(word);
    if (!guid) return std::nullopt;
    return ports_.find(Guid{*guid});
  }

  EndportIndex ports_;
  LidChoices choices_;
  std::reference_wrapper<const Fabric> count_;
  std::vector<std::uint32_t> lists_{0};
  bool began_ = false;
};

std::string text_of(const LidChoiceList& list) {
  std::string text;
  for (const LidChoice& choice : list) text += fmt::format(" {}:{:.6g}", choice.offset, choice.weight);
  return text + '\n';
}

template <class ClassOf>
void write_members(std::string& text, const Fabric& fabric, std::string_view word, std::size_t count,
                   const ClassOf& class_of) {
  std::vector<std::string> members(count);
  for (const EndportId e : fabric.endports())
    if (class_of(e) != 0) members[class_of(e)] += fmt::format(" 0x{:016x}", index(fabric.at(e).port_guid));
  for (std::size_t c = 1; c < count; ++c)
    if (!members[c].empty()) text += fmt::format("{} {}:{}\n", word, c, members[c]);
}

}  // namespace

std::string write_lid_choices(const Fabric& fabric, const LidChoices& choices) {
  std::string text =
      fmt::format("# By what weights sources should use the LID offsets of destinations.\nchoices {} {}\n",
                  choices.num_sources(), choices.num_destinations());
  for (std::size_t i = 1; i < choices.lists().size(); ++i)
    text += fmt::format("list {}:", i) + text_of(choices.lists()[i]);
  write_members(text, fabric, "source", choices.num_sources(), [&](EndportId e) { return choices.source_class(e); });
  write_members(text, fabric, "destination", choices.num_destinations(),
                [&](EndportId e) { return choices.destination_class(e); });
  for (std::uint32_t s = 0; s < choices.num_sources(); ++s) {
    fmt::format_to(std::back_inserter(text), "use {}:", s);
    for (std::uint32_t d = 0, end = 0; d < choices.num_destinations(); d = end) {
      const std::uint32_t list = choices.of_classes(s, d);
      for (end = d + 1; end < choices.num_destinations() && choices.of_classes(s, end) == list;) ++end;
      fmt::format_to(std::back_inserter(text), " {}", list);
      if (end - d > 1) fmt::format_to(std::back_inserter(text), "*{}", end - d);
    }
    text += '\n';
  }
  for (const auto& [pair, list] : choices.pairs())
    text += fmt::format("0x{:016x} 0x{:016x}", index(fabric.at(pair.first).port_guid),
                        index(fabric.at(pair.second).port_guid)) +
            text_of(choices.lists()[list]);
  return text;
}

Result<LidChoices> read_lid_choices(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  ChoicesReader reader(fabric);
  io::Lines lines(text);
  while (const auto line = lines.next()) {
    std::vector<std::string_view> words = io::words_of(io::without_comment(*line));
    if (words.empty()) continue;
    if (Status ok = reader.take(std::move(words)); !ok)
      return fail_at(file_name, lines.number(), ok.error().message, ok.error().advice);
  }
  return reader.take_choices();
}

bool has_lid_choices(std::string_view text) {
  io::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = io::words_of(io::without_comment(*line));
    if (words.empty()) continue;
    return words[0] == "choices" || (words.size() >= 3 && words[2].find(':') != std::string_view::npos);
  }
  return false;
}

}  // namespace espalier
