// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/client/espalier_schedule.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <new>
#include <string_view>

#include "core/schedule/client/read_only_file.h"
#include "core/schedule/client/schedule_layout.h"

namespace layout = espalier::layout;

static_assert(std::endian::native == std::endian::little, "the sends of a mapped file are used as they are");
static_assert(sizeof(espalier_send) == 4 && int{ESPALIER_RESTS} == int{layout::kRests});

struct espalier_schedule {
  std::string_view file;  // the mapping
  std::uint32_t phases = 0;
  std::uint32_t servers = 0;
};

namespace {

using Path = std::array<char, PATH_MAX>;

bool fits(int length) {
  if (length >= 0 && static_cast<std::size_t>(length) < Path{}.size()) return true;
  errno = ENAMETOOLONG;
  return false;
}

// The whole file, mapped. Empty when it has no regular content.
espalier_status map_file(const char* path, std::string_view& file) {
  const espalier::ReadOnlyFile opened(path, O_NOFOLLOW);
  struct stat info {};
  if (opened.number() < 0 || ::fstat(opened.number(), &info) != 0) return ESPALIER_NO_FILE;
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return ESPALIER_DAMAGED;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.number(), 0);
  if (at == MAP_FAILED) return ESPALIER_SYSTEM;
  file = {static_cast<const char*>(at), size};
  return ESPALIER_OK;
}

void unmap(std::string_view file) { ::munmap(const_cast<char*>(file.data()), file.size()); }

}  // namespace

const char* espalier_schedule_message(espalier_status status) {
  switch (status) {
    case ESPALIER_OK:
      return "no error";
    case ESPALIER_NO_EPOCH:
      return "the directory has no current schedule";
    case ESPALIER_NO_FILE:
      return "the file of the epoch cannot be opened";
    case ESPALIER_DAMAGED:
      return "the file of the epoch is not a complete schedule";
    case ESPALIER_SYSTEM:
      return "out of memory or other resources for the schedule";
  }
  return "an unknown error";
}

espalier_status espalier_schedule_newest(const char* directory, uint64_t* epoch) {
  *epoch = 0;
  Path path;
  if (!fits(std::snprintf(path.data(), path.size(), "%s/%s", directory, layout::kCurrent.data())))
    return ESPALIER_SYSTEM;
  Path target;
  const ssize_t length = ::readlink(path.data(), target.data(), target.size());
  if (length <= 0) return ESPALIER_NO_EPOCH;
  *epoch = layout::epoch_of_file_name({target.data(), static_cast<std::size_t>(length)});
  return *epoch == 0 ? ESPALIER_NO_EPOCH : ESPALIER_OK;
}

espalier_status espalier_schedule_open(const char* directory, uint64_t epoch, espalier_schedule** schedule) {
  *schedule = nullptr;
  if (epoch == 0)
    if (const espalier_status status = espalier_schedule_newest(directory, &epoch); status != ESPALIER_OK)
      return status;
  Path path;
  if (!fits(std::snprintf(path.data(), path.size(), "%s/%s%0*" PRIu64 "%s", directory, layout::kPrefix.data(),
                          layout::kEpochDigits, epoch, layout::kSuffix.data())))
    return ESPALIER_SYSTEM;
  std::string_view file;
  if (const espalier_status status = map_file(path.data(), file); status != ESPALIER_OK) return status;
  if (!layout::fault_of(file).empty() || layout::get<std::uint64_t>(file, layout::kEpochAt) != epoch) {
    unmap(file);
    return ESPALIER_DAMAGED;
  }
  *schedule = new (std::nothrow) espalier_schedule{file, layout::get<std::uint32_t>(file, layout::kPhasesAt),
                                                   layout::get<std::uint32_t>(file, layout::kServersAt)};
  if (*schedule != nullptr) return ESPALIER_OK;
  unmap(file);
  return ESPALIER_SYSTEM;
}

void espalier_schedule_close(espalier_schedule* schedule) {
  if (schedule == nullptr) return;
  unmap(schedule->file);
  delete schedule;
}

uint64_t espalier_schedule_epoch(const espalier_schedule* schedule) {
  return layout::get<std::uint64_t>(schedule->file, layout::kEpochAt);
}
uint32_t espalier_schedule_phases(const espalier_schedule* schedule) { return schedule->phases; }
uint32_t espalier_schedule_bound(const espalier_schedule* schedule) {
  return layout::get<std::uint32_t>(schedule->file, layout::kBoundAt);
}
uint32_t espalier_schedule_servers(const espalier_schedule* schedule) { return schedule->servers; }
uint32_t espalier_schedule_lmc(const espalier_schedule* schedule) {
  return layout::get<std::uint8_t>(schedule->file, layout::kLmcAt);
}

uint64_t espalier_schedule_guid(const espalier_schedule* schedule, uint32_t server) {
  if (server >= schedule->servers) return 0;
  return layout::get<std::uint64_t>(schedule->file, layout::kHeaderSize + std::size_t{8} * server);
}

uint32_t espalier_schedule_find(const espalier_schedule* schedule, uint64_t port_guid) {
  std::uint32_t first = 0;
  for (std::uint32_t count = schedule->servers; count > 0;) {
    const std::uint32_t half = count / 2;
    const bool below = espalier_schedule_guid(schedule, first + half) < port_guid;
    first += below ? half + 1 : 0;
    count = below ? count - half - 1 : half;
  }
  return espalier_schedule_guid(schedule, first) == port_guid ? first : schedule->servers;
}

const espalier_send* espalier_schedule_sends(const espalier_schedule* schedule, uint32_t server) {
  if (server >= schedule->servers) return nullptr;
  const char* const sends = schedule->file.data() + layout::kHeaderSize + std::size_t{8} * schedule->servers;
  // A mapping begins at a page, and both sizes before the sends are multiples of 8.
  return reinterpret_cast<const espalier_send*>(sends) + std::size_t{server} * schedule->phases;
}

void espalier_schedule_sources(const espalier_schedule* schedule, uint32_t server, uint16_t* sources) {
  std::fill(sources, sources + schedule->phases, static_cast<std::uint16_t>(ESPALIER_RESTS));
  for (std::uint32_t from = 0; from < schedule->servers; ++from) {
    const espalier_send* const send = espalier_schedule_sends(schedule, from);
    for (std::uint32_t phase = 0; phase < schedule->phases; ++phase)
      if (send[phase].peer == server) sources[phase] = static_cast<std::uint16_t>(from);
  }
}
