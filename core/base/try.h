// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The value of a Result, or a return with its error: known as TRY, as BOOST_OUTCOME_TRY does it.
//
//   ESPALIER_TRY(const Fabric fabric, read_fabric(text));
//   ESPALIER_TRY_STATUS(write_file(path, text));
#pragma once

#include <utility>

#include "core/base/result.h"

#define ESPALIER_TRY_NAME_(prefix, line) prefix##line
#define ESPALIER_TRY_NAME(prefix, line) ESPALIER_TRY_NAME_(prefix, line)

#define ESPALIER_TRY_INTO(result, declaration, ...)              \
  auto result = (__VA_ARGS__);                                   \
  if (!result) return tl::unexpected(std::move(result).error()); \
  declaration = *std::move(result)

// Declares a variable with the value, or returns the error from the function, whose Result may be of another type.
#define ESPALIER_TRY(declaration, ...) \
  ESPALIER_TRY_INTO(ESPALIER_TRY_NAME(try_result_, __LINE__), declaration, __VA_ARGS__)

// For a Status.
#define ESPALIER_TRY_STATUS(...) \
  if (auto try_status = (__VA_ARGS__); !try_status) return tl::unexpected(std::move(try_status).error())
