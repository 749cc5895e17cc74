// Which Prehend this is; the build writes the source.
#pragma once

namespace prehend {

// "0.1.0"
const char* version();

// What `git describe` says of the sources, "-dirty" if they were changed since; "unknown" outside
// of a repository.
const char* commit();

}  // namespace prehend
