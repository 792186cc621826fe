// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/client/espalier_choices.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <string>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/schedule/client/lid_choices_text.h"
#include "core/schedule/client/read_only_file.h"

namespace espalier::choices {

// Numbers by key, of which the last one counts. Sorted once, when all are known.
template <class Key>
class SortedNumbers {
 public:
  void put(Key key, std::uint32_t number) { entries_.emplace_back(key, number); }
  void sort() {
    const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(entries_.begin(), entries_.end(), by_key);
  }
  // nullptr when there is none.
  [[nodiscard]] const std::uint32_t* find(Key key) const {
    const auto after = std::upper_bound(entries_.begin(), entries_.end(), key,
                                        [](const Key& k, const auto& entry) { return k < entry.first; });
    if (after == entries_.begin() || std::prev(after)->first != key) return nullptr;
    return &std::prev(after)->second;
  }

 private:
  std::vector<std::pair<Key, std::uint32_t>> entries_;
};

class Choices final : public LidChoicesSink {
 public:
  void set_classes(std::uint32_t sources, std::uint32_t destinations) override {
    num_destinations_ = destinations;
    of_classes_.assign(std::size_t{sources} * destinations, 0);
  }
  void add_list(const WeightedOffsets& list) override { list_numbers_.push_back(append(list)); }
  void set_source_class(std::uint64_t guid, std::uint32_t c) override { source_class_.put(guid, c); }
  void set_destination_class(std::uint64_t guid, std::uint32_t c) override { destination_class_.put(guid, c); }
  void use(std::uint32_t source_class, std::uint32_t destination_class, std::uint32_t list) override {
    of_classes_[std::size_t{source_class} * num_destinations_ + destination_class] = list_numbers_[list];
  }
  void use_between(std::uint64_t source, std::uint64_t destination, const WeightedOffsets& list) override {
    of_pair_.put({source, destination}, append(list));
  }
  void finish() {
    source_class_.sort();
    destination_class_.sort();
    of_pair_.sort();
  }

  [[nodiscard]] std::pair<const espalier_share*, std::uint32_t> at(std::uint64_t source,
                                                                   std::uint64_t destination) const {
    const std::uint32_t* const own = of_pair_.find({source, destination});
    const std::uint32_t list = own != nullptr
                                   ? *own
                                   : of_classes_[std::size_t{class_in(source_class_, source)} * num_destinations_ +
                                                 class_in(destination_class_, destination)];
    return {shares_.data() + first_[list], static_cast<std::uint32_t>(first_[list + 1] - first_[list])};
  }

 private:
  [[nodiscard]] static std::uint32_t class_in(const SortedNumbers<std::uint64_t>& classes, std::uint64_t guid) {
    const std::uint32_t* const c = classes.find(guid);
    return c != nullptr ? *c : 0;
  }

  std::uint32_t append(const WeightedOffsets& list) {
    // By the largest first: a sum of weights may be too large for a double.
    const double largest = std::max_element(list.begin(), list.end(), [](const auto& a, const auto& b) {
                             return a.weight < b.weight;
                           })->weight;
    const double all = std::accumulate(list.begin(), list.end(), 0.0,
                                       [&](double sum, const auto& next) { return sum + next.weight / largest; });
    for (const auto& next : list) shares_.push_back({next.offset, next.weight / largest / all});
    first_.push_back(shares_.size());
    return static_cast<std::uint32_t>(first_.size() - 2);
  }

  std::vector<espalier_share> shares_{{0, 1}};  // list after list; list 0 is offset 0 alone
  std::vector<std::size_t> first_{0, 1};        // list -> its first share, and the end
  std::vector<std::uint32_t> list_numbers_{0};  // number in the file -> list
  std::uint32_t num_destinations_ = 1;
  std::vector<std::uint32_t> of_classes_{0};  // [source class][destination class] -> list
  SortedNumbers<std::uint64_t> source_class_;
  SortedNumbers<std::uint64_t> destination_class_;
  SortedNumbers<std::pair<std::uint64_t, std::uint64_t>> of_pair_;  // -> list
};

}  // namespace espalier::choices

namespace {

constexpr off_t kMostBytes = off_t{256} << 20;

struct Refusal {
  espalier_status status;
  espalier::Error why;
  int error_number = 0;  // what errno becomes; 0: it says nothing
};
template <class T>
using Outcome = tl::expected<T, Refusal>;

tl::unexpected<Refusal> damaged(espalier::Error why) {
  return tl::unexpected(Refusal{ESPALIER_DAMAGED, std::move(why)});
}

tl::unexpected<Refusal> unreadable(const char* path, int error_number) {
  const std::string reason = std::generic_category().message(error_number);
  return tl::unexpected(Refusal{ESPALIER_NO_FILE, {"cannot read: " + reason, path, 0, {}}, error_number});
}

Outcome<std::string> read_text(const char* path) {
  const espalier::ReadOnlyFile file(path);
  struct stat info {};
  if (file.number() < 0 || ::fstat(file.number(), &info) != 0) return unreadable(path, errno);
  if (!S_ISREG(info.st_mode)) return damaged({"this is no regular file", path, 0, {}});
  std::string text;
  std::array<char, 65536> part;
  while (info.st_size <= kMostBytes && text.size() <= std::size_t{kMostBytes}) {
    const ssize_t count = ::read(file.number(), part.data(), part.size());
    if (count == 0) return text;
    if (count < 0 && errno != EINTR) return unreadable(path, errno);
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
  }
  return damaged({"this is larger than 256 MiB", path, 0, {}});
}

// From 0, 1, 2, ... to numbers of which any 2^m that begin at a multiple of 2^m lie evenly between 0 and 2^64 (van der
// Corput's sequence in base 2).
std::uint64_t reversed_bits(std::uint64_t n) {
  n = (n >> 1 & 0x5555555555555555U) | (n & 0x5555555555555555U) << 1;
  n = (n >> 2 & 0x3333333333333333U) | (n & 0x3333333333333333U) << 2;
  n = (n >> 4 & 0x0F0F0F0F0F0F0F0FU) | (n & 0x0F0F0F0F0F0F0F0FU) << 4;
  return __builtin_bswap64(n);
}

}  // namespace

struct espalier_choices {
  espalier::choices::Choices choices;
};

namespace {

Outcome<std::unique_ptr<espalier_choices>> read_choices(const char* path) {
  const Outcome<std::string> text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  auto made = std::make_unique<espalier_choices>();
  if (auto ok = espalier::parse_lid_choices(*text, path, made->choices); !ok) return damaged(std::move(ok).error());
  made->choices.finish();
  return made;
}

void copy_cut(const std::string& text, char* to, std::size_t size) {
  if (to == nullptr || size == 0) return;
  const std::size_t count = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), count);
  to[count] = '\0';
}

}  // namespace

espalier_status espalier_choices_open(const char* path, espalier_choices** choices, char* message, size_t size) {
  *choices = nullptr;
  copy_cut({}, message, size);
  try {
    Outcome<std::unique_ptr<espalier_choices>> made = read_choices(path);
    if (made) {
      *choices = made->release();
      return ESPALIER_OK;
    }
    copy_cut(made.error().why.text(), message, size);
    if (made.error().error_number != 0) errno = made.error().error_number;
    return made.error().status;
  } catch (const std::exception&) {  // std::bad_alloc, std::length_error: nothing else is thrown
    copy_cut("out of memory", message, size);
    return ESPALIER_SYSTEM;
  }
}

void espalier_choices_close(espalier_choices* choices) { delete choices; }

const espalier_share* espalier_choices_shares(const espalier_choices* choices, uint64_t source, uint64_t destination,
                                              uint32_t* count) {
  const auto [shares, number] = choices->choices.at(source, destination);
  *count = number;
  return shares;
}

uint32_t espalier_choices_offset(const espalier_choices* choices, uint64_t source, uint64_t destination, uint64_t n) {
  const auto [shares, count] = choices->choices.at(source, destination);
  const std::uint64_t at = reversed_bits(n) + espalier::mix(source, destination);
  double rest = static_cast<double>(at >> 11) * 0x1p-53;  // below 1
  std::uint32_t i = 0;
  while (i + 1 < count && rest >= shares[i].share) rest -= shares[i++].share;
  return shares[i].offset;
}
