// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/layers/dependency_order.h"

#include <algorithm>

namespace espalier {
namespace {

constexpr std::uint32_t kNoStep = 0xFFFFFFFF;
constexpr std::uint8_t kAfter = 1;
constexpr std::uint8_t kBefore = 2;

}  // namespace

DependencyOrder::DependencyOrder(const std::vector<Step>& steps, std::vector<std::uint32_t> number)
    : steps_(&steps),
      out_{std::vector<std::uint32_t>(number.size(), kNoStep), std::vector<std::uint32_t>(steps.size(), kNoStep)},
      in_(out_),
      number_(std::move(number)),
      channel_at_(number_.size()),
      seen_(number_.size()) {
  for (std::uint32_t c = 0; c < number_.size(); ++c) channel_at_[number_[c]] = c;
}

bool DependencyOrder::insert(std::uint32_t step) {
  const auto [from, to] = (*steps_)[step];
  if (number_[from] >= number_[to]) {
    const bool acyclic = from != to && collect(from, to);
    if (acyclic) renumber();
    for (auto* visited : {&after_, &before_}) {
      for (const std::uint32_t c : *visited) seen_[c] = 0;
      visited->clear();
    }
    if (!acyclic) return false;
  }
  out_.rest[step] = std::exchange(out_.head[from], step);
  in_.rest[step] = std::exchange(in_.head[to], step);
  return true;
}

// Fills before_ with what leads to `from` and after_ with what `to` leads to, both with numbers from that of `to` up to
// that of `from` only, and in turn, so that they meet early; false when they do.
bool DependencyOrder::collect(std::uint32_t from, std::uint32_t to) {
  const std::uint32_t lowest = number_[to];
  const std::uint32_t highest = number_[from];
  after_.push_back(to);
  seen_[to] = kAfter;
  before_.push_back(from);
  seen_[from] = kBefore;
  for (std::size_t a = 0, b = 0; a < after_.size() || b < before_.size();) {
    if (a < after_.size())
      for (std::uint32_t step = out_.head[after_[a++]]; step != kNoStep; step = out_.rest[step]) {
        const std::uint32_t c = (*steps_)[step].to;
        if (seen_[c] == kBefore) return false;
        if (seen_[c] != 0 || number_[c] > highest) continue;
        seen_[c] = kAfter;
        after_.push_back(c);
      }
    if (b < before_.size())
      for (std::uint32_t step = in_.head[before_[b++]]; step != kNoStep; step = in_.rest[step]) {
        const std::uint32_t c = (*steps_)[step].from;
        if (seen_[c] == kAfter) return false;
        if (seen_[c] != 0 || number_[c] < lowest) continue;
        seen_[c] = kBefore;
        before_.push_back(c);
      }
  }
  return true;
}

// Gives the numbers that before_ and after_ occupy to before_ first, each list in its old order.
void DependencyOrder::renumber() {
  pool_.clear();
  const auto to_numbers = [&](std::vector<std::uint32_t>& list) {
    for (std::uint32_t& c : list) {
      seen_[c] = 0;
      c = number_[c];
    }
    std::sort(list.begin(), list.end());
  };
  to_numbers(before_);
  to_numbers(after_);
  pool_.resize(before_.size() + after_.size());
  std::merge(before_.begin(), before_.end(), after_.begin(), after_.end(), pool_.begin());
  for (auto* list : {&before_, &after_})
    for (std::uint32_t& number : *list) number = channel_at_[number];
  std::size_t i = 0;
  for (const auto* list : {&before_, &after_})
    for (const std::uint32_t c : *list) {
      number_[c] = pool_[i++];
      channel_at_[number_[c]] = c;
    }
}

}  // namespace espalier
