// How often this program has called malloc, which one file of the program replaces; always 0 under
// a sanitizer, which has its own.
#pragma once

#include <cstddef>

size_t allocations();
