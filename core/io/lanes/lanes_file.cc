// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lanes/lanes_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

constexpr std::size_t kMostClasses = 0xC000;
constexpr std::size_t kMostLevels = std::size_t{1} << 27;  // source classes x destination classes: 128 MB
constexpr std::size_t kMostMapEntries = std::size_t{1} << 22;

using Numbers = std::vector<std::uint32_t>;

// " 0*5 1 2*3".
template <class Get>
void write_runs(std::string& text, std::size_t count, Get&& get) {
  for (std::size_t i = 0; i < count;) {
    std::size_t end = i + 1;
    while (end < count && get(end) == get(i)) ++end;
    fmt::format_to(std::back_inserter(text), " {}", get(i));
    if (end - i > 1) fmt::format_to(std::back_inserter(text), "*{}", end - i);
    i = end;
  }
  text += '\n';
}

// "source 1: 37-72 80", for each class above 0.
template <class ClassOf>
void write_classes(std::string& text, const Fabric& fabric, std::string_view word, std::size_t count,
                   ClassOf&& class_of) {
  std::vector<std::string> of_class(count);
  const std::size_t end = index(fabric.top_lid()) + 1;
  for (std::size_t lid = 1; lid < end;) {
    const std::uint32_t c = class_of(id_at<Lid>(lid));
    std::size_t next = lid + 1;
    while (next < end && class_of(id_at<Lid>(next)) == c) ++next;
    if (c != 0) of_class[c] += next - lid == 1 ? fmt::format(" {}", lid) : fmt::format(" {}-{}", lid, next - 1);
    lid = next;
  }
  for (std::size_t c = 1; c < count; ++c)
    if (!of_class[c].empty()) text += fmt::format("{} {}:{}\n", word, c, of_class[c]);
}

class LanesReader {
 public:
  LanesReader(const Fabric& fabric, const std::string& file) : fabric_(fabric), file_(file), maps_(fabric) {}

  Result<Lanes> read(std::string_view text) {
    io::Lines lines(text);
    while (const auto line = lines.next()) {
      line_ = lines.number();
      const std::string_view said = io::without_comment(*line);
      io::Scanner scan(said);
      scan.skip_blanks();
      if (scan.done()) continue;
      const std::string_view word = scan.eat_word();
      scan.skip_blanks();
      if (Status ok = take(word, scan); !ok) return fail_at(file_, line_, ok.error().message, ok.error().advice);
    }
    if (!levels_) return fail_at(file_, std::max(line_, 1), "there is no line `levels`, so this is not a lanes file");
    for (std::size_t c = 0; c < has_row_.size(); ++c)
      if (!has_row_[c]) return fail_at(file_, line_, fmt::format("no line `sl {}`", c));
    if (classes_.empty()) maps_.add_map(1);
    return Lanes(std::move(*levels_), std::move(maps_));
  }

 private:
  Status take(std::string_view word, io::Scanner& scan) {
    if (word == "levels") return take_levels(scan);
    if (!levels_)
      return fail(fmt::format("\"{}\" before the line `levels`: this is not a file of lanes", word),
                  "write one with espalier route --lanes FILE");
    if (word == "source" || word == "destination") return take_class(word, scan);
    if (word == "sl") return take_row(scan);
    if (word == "map") return take_map(scan);
    if (word == "vl") return take_vls(scan);
    if (word == "switch") return take_switch(scan);
    return fail(fmt::format("\"{}\" is not a word of lanes files", word),
                "valid words are levels, source, destination, sl, map, vl and switch");
  }

  static Result<std::size_t> number(io::Scanner& scan, std::string_view what, std::size_t least, std::size_t end) {
    const auto value = scan.eat_number<std::size_t>();
    if (!value || *value < least || *value >= end)
      return fail(fmt::format("{} must be a number from {} to {}", what, least, end - 1));
    scan.skip_blanks();
    return *value;
  }

  static Status colon(io::Scanner& scan) {
    if (!scan.eat(":")) return fail("a ':' is missing");
    scan.skip_blanks();
    return {};
  }

  // All that is left of the line, at most `most` numbers below `end`.
  static Result<Numbers> runs(io::Scanner& scan, std::string_view what, std::size_t end, std::size_t most) {
    Numbers numbers;
    while (!scan.done()) {
      const auto value = scan.eat_number<std::uint32_t>();
      std::optional<std::size_t> count = 1;
      if (value && scan.eat("*")) count = scan.eat_number<std::size_t>();
      if (!value || *value >= end || !count || (!scan.done() && !scan.at(' ') && !scan.at('\t')))
        return fail(fmt::format("{} must be numbers below {}, such as 3 or 3*12", what, end));
      if (*count > most - numbers.size()) return fail(fmt::format("more than {} {}", most, what));
      numbers.insert(numbers.end(), *count, *value);
      scan.skip_blanks();
    }
    return numbers;
  }

  Status take_levels(io::Scanner& scan) {
    if (levels_) return fail("a second line `levels`");
    ESPALIER_TRY(const auto sources, number(scan, "the number of source classes", 1, kMostClasses + 1));
    ESPALIER_TRY(const auto destinations, number(scan, "the number of destination classes", 1, kMostClasses + 1));
    if (!scan.done()) return fail("`levels` takes two numbers");
    if (sources * destinations > kMostLevels)
      return fail(fmt::format("{} x {} service levels are too many", sources, destinations));
    levels_.emplace(fabric_.top_lid(), sources, destinations);
    has_row_.assign(sources, false);
    return {};
  }

  Status take_class(std::string_view word, io::Scanner& scan) {
    const bool is_source = word == "source";
    ESPALIER_TRY(const auto c,
                 number(scan, "the class", 0, is_source ? levels_->num_sources() : levels_->num_destinations()));
    if (Status ok = colon(scan); !ok) return ok;
    while (!scan.done()) {
      const auto first = scan.eat_number<std::size_t>();
      std::optional<std::size_t> last = first;
      if (first && scan.eat("-")) last = scan.eat_number<std::size_t>();
      if (!first || !last || *first == 0 || *last < *first || *last > index(kMaxUnicastLid) ||
          (!scan.done() && !scan.at(' ') && !scan.at('\t')))
        return fail("LIDs must be numbers from 1 to 49151, such as 7 or 7-12");
      for (std::size_t lid = *first; lid <= std::min(*last, index(fabric_.top_lid())); ++lid) {
        if (is_source)
          levels_->set_source_class(id_at<Lid>(lid), static_cast<std::uint32_t>(c));
        else
          levels_->set_destination_class(id_at<Lid>(lid), static_cast<std::uint32_t>(c));
      }
      scan.skip_blanks();
    }
    return {};
  }

  Status take_row(io::Scanner& scan) {
    ESPALIER_TRY(const auto source, number(scan, "the source class", 0, levels_->num_sources()));
    if (Status ok = colon(scan); !ok) return ok;
    if (has_row_[source]) return fail(fmt::format("a second line `sl {}`", source));
    ESPALIER_TRY(const auto sls, runs(scan, "service levels", kNumSls, levels_->num_destinations()));
    if (sls.size() != levels_->num_destinations())
      return fail(fmt::format("{} service levels are given for {} destination classes", sls.size(),
                              levels_->num_destinations()));
    for (std::size_t d = 0; d < sls.size(); ++d)
      levels_->set(static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(d),
                   static_cast<std::uint8_t>(sls[d]));
    has_row_[source] = true;
    return {};
  }

  Status take_map(io::Scanner& scan) {
    ESPALIER_TRY(const auto map, number(scan, "the map", 0, 0x10000));
    if (Status ok = colon(scan); !ok) return ok;
    ESPALIER_TRY(const auto classes, number(scan, "the number of port classes", 1, 256));
    if (!scan.done()) return fail("`map` takes a number and, after a ':', another");
    if (map != classes_.size()) return fail(fmt::format("map {} where map {} should follow", map, classes_.size()));
    map_entries_ += classes * classes;
    if (map_entries_ > kMostMapEntries) return fail("too many maps");
    maps_.add_map(classes);
    classes_.push_back(classes);
    return {};
  }

  Status take_vls(io::Scanner& scan) {
    ESPALIER_TRY(const auto map, number(scan, "the map", 0, classes_.size()));
    ESPALIER_TRY(const auto in, number(scan, "the class of the in-port", 0, classes_[map]));
    ESPALIER_TRY(const auto out, number(scan, "the class of the out-port", 0, classes_[map]));
    if (Status ok = colon(scan); !ok) return ok;
    ESPALIER_TRY(const auto vls, runs(scan, "lanes", kDiscardVl + 1, kNumSls));
    if (vls.size() != kNumSls)
      return fail(fmt::format("there must be {} lanes, one for each service level, not {}", kNumSls, vls.size()));
    VlsBySl& entry = maps_.entry(map, in, out);
    for (std::size_t sl = 0; sl < kNumSls; ++sl) entry[sl] = static_cast<std::uint8_t>(vls[sl]);
    return {};
  }

  Status take_switch(io::Scanner& scan) {
    const auto guid = io::parse_hex(scan.eat_word(":"));
    if (!guid) return fail("a switch must be given by its GUID");
    scan.skip_blanks();
    if (Status ok = colon(scan); !ok) return ok;
    ESPALIER_TRY(const auto map, number(scan, "the map", 0, classes_.size()));
    ESPALIER_TRY(const auto classes, runs(scan, "port classes", classes_[map], 255));
    const SwitchId s = fabric_.find_switch(Guid{*guid});
    if (s == kNoSwitch) return {};  // of another time
    if (classes.size() != std::size_t{fabric_.at(s).num_ports} + 1)
      return fail(fmt::format("{} of ports are given, but switch {} has {} and port 0",
                              counted(classes.size(), "class", "classes"), fabric_.label(s),
                              counted(fabric_.at(s).num_ports, "port")));
    maps_.use_map(s, map);
    for (std::size_t p = 0; p < classes.size(); ++p)
      maps_.set_port_class(s, id_at<PortNum>(p), static_cast<std::uint8_t>(classes[p]));
    return {};
  }

  const Fabric& fabric_;
  const std::string& file_;
  int line_ = 0;
  std::optional<ServiceLevels> levels_;
  std::vector<bool> has_row_;  // per source class
  LaneMaps maps_;
  std::vector<std::size_t> classes_;  // per map
  std::size_t map_entries_ = 0;
};

}  // namespace

std::string write_lanes(const Fabric& fabric, const Lanes& lanes) {
  const ServiceLevels& levels = lanes.levels();
  std::string text = fmt::format("# {} virtual lanes, {} service levels\nlevels {} {}\n", lanes.num_vls(),
                                 lanes.num_sls(), levels.num_sources(), levels.num_destinations());
  write_classes(text, fabric, "source", levels.num_sources(), [&](Lid lid) { return levels.source_class(lid); });
  write_classes(text, fabric, "destination", levels.num_destinations(),
                [&](Lid lid) { return levels.destination_class(lid); });
  for (std::uint32_t source = 0; source < levels.num_sources(); ++source) {
    text += fmt::format("sl {}:", source);
    write_runs(text, levels.num_destinations(),
               [&](std::size_t d) { return unsigned{levels.of_classes(source, static_cast<std::uint32_t>(d))}; });
  }
  const LaneMaps& maps = lanes.maps();
  for (std::size_t map = 0; map < maps.num_maps(); ++map) {
    text += fmt::format("map {}: {}\n", map, maps.num_classes(map));
    for (std::size_t in = 0; in < maps.num_classes(map); ++in)
      for (std::size_t out = 0; out < maps.num_classes(map); ++out) {
        const VlsBySl& vls = maps.entry(map, in, out);
        if (vls == VlsBySl{}) continue;
        text += fmt::format("vl {} {} {}:", map, in, out);
        write_runs(text, kNumSls, [&](std::size_t sl) { return unsigned{vls[sl]}; });
      }
  }
  for (const SwitchId s : fabric.switches()) {
    text += fmt::format("switch 0x{:016x}: {}", index(fabric.at(s).guid), maps.map_of(s));
    write_runs(text, std::size_t{fabric.at(s).num_ports} + 1,
               [&](std::size_t p) { return unsigned{maps.port_class(s, id_at<PortNum>(p))}; });
  }
  return text;
}

Result<Lanes> read_lanes(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  return LanesReader(fabric, file_name).read(text);
}

}  // namespace espalier
