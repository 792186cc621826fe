// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Expected failures are values: a function that may refuse its input returns Result<T>.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace espalier {

// Why something was refused, for a person: what is wrong, where it stands, and what to do about it.
struct Error {
  std::string message;  // one sentence: what is wrong, with the GUID and description of what it is about
  std::string file;     // the input file, empty where there is none
  int line = 0;         // counted from 1; 0 where no line is to blame
  std::string advice;   // what to do, empty where nothing sensible can be said

  // "FILE:LINE: MESSAGE; ADVICE" without the parts that are empty.
  [[nodiscard]] std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;

// A Result that carries no value when it is good.
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string message, std::string advice = {}) {
  return tl::unexpected<Error>(Error{std::move(message), {}, 0, std::move(advice)});
}

[[nodiscard]] inline tl::unexpected<Error> fail_at(std::string file, int line, std::string message,
                                                   std::string advice = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(file), line, std::move(advice)});
}

}  // namespace espalier
