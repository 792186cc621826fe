// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A report on a routed fabric as one HTML page: no network, no fonts, no other file. The numbers come from the caller
// and are embedded as JSON; report_page.js draws them and computes none. It may be opened from a disk and mailed.
//
// The drawing: levels are rows, leaves at the bottom. A row holds boxes, a box holds switches: one each in a small
// fabric, a pod or a plane in a large one. All links between two boxes are one line, colored by its fullest channel. Of a
// dragonfly, groups lie in a circle: a ring of boxes each, or one box in a large fabric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace espalier {

struct ReportPage {
  using Loads = std::vector<std::uint64_t>;  // one number per pattern

  struct Fact {
    std::string label;
    std::string value;
    std::string note;  // what the value means
  };
  struct Remark {
    std::string kind;
    std::string text;
  };
  struct Pattern {
    std::string name;
    std::string note;
    // Color i: loads of up to edges[i], fixed shares of `ideal` so that two pages compare; ascending, a color between
    // two equal edges has no load. The last is at least the greatest load.
    std::vector<std::uint64_t> edges;
    std::uint64_t ideal = 1;  // what the fullest channel carries at the least, with any tables or any shortest paths
  };
  struct Mark {
    std::string guid;
    std::string name;
    std::vector<std::string> hosts;    // names of those on it, in natural order
    Loads loads;                       // of its fullest channel, in or out
    std::vector<std::size_t> remarks;  // about it
  };
  enum class Layout : std::uint8_t { kLevels, kGroups };
  struct Box {
    std::size_t level = 0;  // or the number of its group
    std::string label;
    std::vector<std::size_t> marks;
  };
  struct Line {
    std::size_t lower = 0;  // boxes; on one level, or in one box, "up" is whatever the ranking says
    std::size_t upper = 0;
    std::size_t links = 0;
    Loads up;  // of the fullest channel
    Loads down;
  };
  // How even the load is: the channels between two levels in one direction.
  struct Spread {
    struct Load {
      std::uint64_t min = 0;
      std::uint64_t max = 0;
      double mean = 0;
      std::size_t idle = 0;
      std::vector<std::size_t> of_color;  // channels by Pattern::edges; the idle ones left out
    };
    std::string channels;
    std::size_t count = 0;
    std::vector<Load> loads;  // per pattern
  };
  struct HotLink {
    std::size_t pattern = 0;
    std::uint64_t flows = 0;
    std::string from;
    std::string to;
    std::string users;
    std::size_t line = 0;
  };

  std::string title;
  std::string subtitle;
  bool sound = false;
  std::string verdict;
  std::vector<Fact> facts;
  std::vector<Remark> remarks;
  std::vector<Pattern> patterns;
  std::vector<Mark> marks;
  Layout layout = Layout::kLevels;
  std::vector<Box> boxes;  // a level's from left to right, a group's by their numbers
  std::vector<Line> lines;
  std::vector<Spread> spreads;
  std::vector<HotLink> hot_links;
};

// Two pages side by side, and their facts in one table. REQUIRES: both have the same facts.
[[nodiscard]] std::string write_report_pair(const ReportPage& left, const ReportPage& right);

// The page. Text may hold anything; bytes that are no UTF-8 become U+FFFD. Same input, same page.
[[nodiscard]] std::string write_report_page(const ReportPage& page);

}  // namespace espalier
