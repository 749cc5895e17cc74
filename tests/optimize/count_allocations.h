// How often this program has called operator new; cone_program_test.cpp replaces it.
#pragma once

#include <cstddef>

size_t allocations();
