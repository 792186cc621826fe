/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* All-to-all exchanges of an MPI program by the schedule that the subnet manager publishes.
 *
 *   mpirun -n SERVERS mpi_exchange [-n EXCHANGES] [-b BYTES] [-p PAUSE_MS] [-e EPOCH] DIRECTORY
 *
 * Every rank is one server: the one whose port GUID stands in ESPALIER_PORT_GUID, else the one with the rank's number.
 * In each phase a rank sends BYTES to one other and receives from one other; no phase begins before the last has ended
 * everywhere. The same MPI_Allreduce that is this barrier agrees on the epoch: the minimum of what the ranks see. When
 * it is a new one, also in the middle of an exchange, all ranks go over to its schedule and leave out the pairs that
 * have met already. So nothing is sent twice, nothing is lost, and every byte is compared in the end.
 *
 * With -e the program goes on until a whole exchange has followed EPOCH or a later one. -p waits that long in each
 * phase. Over InfiniBand each message would go to the DLID of its espalier_send; MPI chooses its own paths, so this
 * sample follows the phases and prints no times. */
#include <errno.h>
#include <espalier_schedule.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  kMostExchanges = 1000000,
  kMostPauseMs = 3600000,
  kPatience = 300  // seconds to wait for the first epoch, or for -e
};

struct options {
  const char* directory;
  long exchanges;
  long bytes;
  long pause_ms;
  uint64_t until_epoch;
};

struct state {
  struct options options;
  int rank;
  uint32_t servers;
  uint32_t me;          /* my number among the servers */
  int* rank_of;         /* [server] */
  uint16_t* source;     /* [phase] who sends to me */
  unsigned char* out;   /* [server * bytes] */
  unsigned char* in;    /* [server * bytes] */
  unsigned char* sent;  /* [server] in this exchange */
  unsigned char* heard; /* [server] in this exchange */
  espalier_schedule* schedule;
  uint64_t changes_within;
};

static void die(const char* what, const char* why) {
  fprintf(stderr, "mpi_exchange: %s: %s\n", what, why);
  MPI_Abort(MPI_COMM_WORLD, 2);
  exit(2);
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count + 1, size);
  if (memory == NULL) die("memory", "there is none left");
  return memory;
}

/* The newest epoch that every rank sees; 0 when one sees none. Also the barrier between two phases. */
static uint64_t agreed_epoch(const struct state* s) {
  uint64_t mine = 0;
  uint64_t agreed = 0;
  (void)espalier_schedule_newest(s->options.directory, &mine);
  MPI_Allreduce(&mine, &agreed, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  return agreed;
}

/* Goes over to an epoch, all ranks or none. Returns whether they did. */
static int adopt(struct state* s, uint64_t epoch) {
  espalier_schedule* next = NULL;
  int good = espalier_schedule_open(s->options.directory, epoch, &next) == ESPALIER_OK;
  /* The ranks are the servers: the epoch of another set of them is for another run of this program. */
  if (good && s->schedule != NULL) {
    good = espalier_schedule_servers(next) == s->servers;
    for (uint32_t i = 0; good && i < s->servers; ++i)
      good = espalier_schedule_guid(next, i) == espalier_schedule_guid(s->schedule, i);
  }
  int all_good = 0;
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all_good) {
    espalier_schedule_close(next);
    return 0;
  }
  espalier_schedule_close(s->schedule);
  s->schedule = next;
  free(s->source);
  s->source = allocate(espalier_schedule_phases(next), sizeof(uint16_t));
  if (s->rank_of != NULL) espalier_schedule_sources(next, s->me, s->source);
  return 1;
}

// The whole word has to be one.
static uint64_t number(const char* word, int base) {
  char* end = NULL;
  errno = 0;
  const unsigned long long value = strtoull(word, &end, base);
  if (errno != 0 || end == word || *end != '\0' || strchr(word, '-') != NULL) die(word, "is not a number");
  return value;
}

static long count(const char* word) {
  const uint64_t value = number(word, 10);
  return value > LONG_MAX ? LONG_MAX : (long)value;
}

static void find_myself(struct state* s) {
  s->servers = espalier_schedule_servers(s->schedule);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if ((uint32_t)ranks != s->servers) die("mpirun -n", "give as many ranks as the schedule has servers");
  const char* guid = getenv("ESPALIER_PORT_GUID");
  s->me = guid == NULL ? (uint32_t)s->rank : espalier_schedule_find(s->schedule, number(guid, 16));
  if (s->me >= s->servers) die("ESPALIER_PORT_GUID", "takes no part in the exchange");
  uint32_t* server_of = allocate(s->servers, sizeof(uint32_t));
  MPI_Allgather(&s->me, 1, MPI_UINT32_T, server_of, 1, MPI_UINT32_T, MPI_COMM_WORLD);
  s->rank_of = allocate(s->servers, sizeof(int));
  for (int rank = 0; rank < ranks; ++rank) s->rank_of[server_of[rank]] = rank;
  free(server_of);
  espalier_schedule_sources(s->schedule, s->me, s->source);
}

/* What byte i of the message should be: no two messages alike. */
static unsigned char byte_of(long exchange, uint32_t from, uint32_t to, long i) {
  uint64_t x = ((uint64_t)exchange << 40) ^ ((uint64_t)from << 24) ^ ((uint64_t)to << 8) ^ (uint64_t)i;
  x *= 0x9E3779B97F4A7C15U;
  return (unsigned char)(x >> 56);
}

/* One phase: at most one message out and one in. */
static void do_phase(struct state* s, uint32_t phase) {
  const uint16_t to = espalier_schedule_sends(s->schedule, s->me)[phase].peer;
  const uint16_t from = s->source[phase];
  const int bytes = (int)s->options.bytes;
  MPI_Request request[2];
  int requests = 0;
  if (from != ESPALIER_RESTS && !s->heard[from]) {
    s->heard[from] = 1;
    MPI_Irecv(s->in + (size_t)from * (size_t)bytes, bytes, MPI_BYTE, s->rank_of[from], 0, MPI_COMM_WORLD,
              &request[requests++]);
  }
  if (to != ESPALIER_RESTS && !s->sent[to]) {
    s->sent[to] = 1;
    MPI_Isend(s->out + (size_t)to * (size_t)bytes, bytes, MPI_BYTE, s->rank_of[to], 0, MPI_COMM_WORLD,
              &request[requests++]);
  }
  MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
  if (s->options.pause_ms > 0) usleep((useconds_t)s->options.pause_ms * 1000);
}

static void prepare(struct state* s, long exchange) {
  const long bytes = s->options.bytes;
  memset(s->in, 0, (size_t)s->servers * (size_t)bytes);
  memset(s->sent, 0, s->servers);
  memset(s->heard, 0, s->servers);
  for (uint32_t to = 0; to < s->servers; ++to)
    for (long i = 0; i < bytes; ++i) s->out[(long)to * bytes + i] = byte_of(exchange, s->me, to, i);
  memcpy(s->in + s->me * bytes, s->out + s->me * bytes, (size_t)bytes); /* my part for myself */
}

/* Bytes that are not what they should be, over all ranks. */
static uint64_t wrong_bytes(const struct state* s, long exchange) {
  const long bytes = s->options.bytes;
  uint64_t wrong = 0;
  for (uint32_t from = 0; from < s->servers; ++from)
    for (long i = 0; i < bytes; ++i) wrong += s->in[(long)from * bytes + i] != byte_of(exchange, from, s->me, i);
  uint64_t all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* Returns the number of phases that it took. */
static uint32_t do_exchange(struct state* s, long exchange) {
  uint32_t done = 0;
  for (uint32_t phase = 0; phase < espalier_schedule_phases(s->schedule); ++phase, ++done) {
    const uint64_t epoch = agreed_epoch(s);
    const uint64_t old = espalier_schedule_epoch(s->schedule);
    if (epoch > old && adopt(s, epoch)) {
      if (s->rank == 0)
        printf("exchange %ld: epoch %" PRIu64 " after %" PRIu32 " phases of epoch %" PRIu64 ", now %" PRIu32 "\n",
               exchange, epoch, phase, old, espalier_schedule_phases(s->schedule));
      if (s->rank == 0) fflush(stdout);
      s->changes_within += phase > 0;
      phase = 0;
    }
    do_phase(s, phase);
  }
  return done;
}

static int parse(int argc, char** argv, struct options* o) {
  *o = (struct options){NULL, 3, 1000, 0, 0};
  for (int c = 0; (c = getopt(argc, argv, "n:b:p:e:")) != -1;) {
    if (c == 'n')
      o->exchanges = count(optarg);
    else if (c == 'b')
      o->bytes = count(optarg);
    else if (c == 'p')
      o->pause_ms = count(optarg);
    else if (c == 'e')
      o->until_epoch = number(optarg, 10);
    else
      return 0;
  }
  if (optind + 1 != argc || o->exchanges < 1 || o->exchanges > kMostExchanges || o->bytes < 1 || o->bytes > 1 << 20 ||
      o->pause_ms > kMostPauseMs)
    return 0;
  o->directory = argv[optind];
  return 1;
}

static void start(struct state* s) {
  uint64_t epoch = 0;
  for (int tenth = 0; (epoch = agreed_epoch(s)) == 0; ++tenth) {
    if (tenth == 10 * kPatience) die(s->options.directory, espalier_schedule_message(ESPALIER_NO_EPOCH));
    usleep(100000);
  }
  if (!adopt(s, epoch)) die(s->options.directory, espalier_schedule_message(ESPALIER_DAMAGED));
  find_myself(s);
  const size_t bytes = (size_t)s->servers * (size_t)s->options.bytes;
  s->out = allocate(bytes, 1);
  s->in = allocate(bytes, 1);
  s->sent = allocate(s->servers, 1);
  s->heard = allocate(s->servers, 1);
}

/* Whether another exchange follows; rank 0 decides. */
static int goes_on(const struct state* s, long exchange, uint64_t began_in, double since) {
  int more = exchange < s->options.exchanges;
  if (began_in < s->options.until_epoch) more = MPI_Wtime() - since < kPatience && exchange < kMostExchanges;
  MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return more;
}

int main(int argc, char** argv) {
  struct state s = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  if (!parse(argc, argv, &s.options))
    die("usage", "mpi_exchange [-n EXCHANGES] [-b BYTES] [-p PAUSE_MS] [-e EPOCH] DIRECTORY");
  start(&s);
  if (s.rank == 0)
    printf("epoch %" PRIu64 ": %" PRIu32 " servers, %" PRIu32 " phases without a shared link (lower bound %" PRIu32
           "); a linear shift has %" PRIu32 ", whose flows may share links\n",
           espalier_schedule_epoch(s.schedule), s.servers, espalier_schedule_phases(s.schedule),
           espalier_schedule_bound(s.schedule), s.servers - 1);
  if (s.rank == 0) fflush(stdout);
  const double since = MPI_Wtime();
  uint64_t wrong = 0;
  uint64_t phases = 0;
  uint64_t began_in = 0;
  long exchange = 0;
  do {
    began_in = espalier_schedule_epoch(s.schedule);
    prepare(&s, exchange);
    phases += do_exchange(&s, exchange);
    wrong += wrong_bytes(&s, exchange);
  } while (goes_on(&s, ++exchange, began_in, since));
  const int late = began_in < s.options.until_epoch;
  if (s.rank == 0)
    printf("%ld exchanges in %" PRIu64 " phases, epoch %" PRIu64 " in the end, %" PRIu64
           " changes within an exchange: %" PRIu64 " bytes compared, %" PRIu64 " wrong%s\n",
           exchange, phases, espalier_schedule_epoch(s.schedule), s.changes_within,
           (uint64_t)exchange * s.servers * s.servers * (uint64_t)s.options.bytes, wrong,
           late ? "; the awaited epoch never came" : "");
  espalier_schedule_close(s.schedule);
  free(s.rank_of);
  free(s.source);
  free(s.out);
  free(s.in);
  free(s.sent);
  free(s.heard);
  MPI_Finalize();
  return wrong == 0 && !late ? 0 : 1;
}
