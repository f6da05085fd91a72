// The end of a process whose memory ran out where no exception can be caught. Main thread, at the start.
#pragma once

namespace flowtrain::cli {

// std::bad_alloc is an error like any other, but inside a function that may not throw (a step of a
// directory_iterator) it would abort the process: it says one line and leaves with 1 instead.
void EndWhereMemoryRanOut();

}  // namespace flowtrain::cli
