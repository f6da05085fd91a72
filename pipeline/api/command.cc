#include <flowtrain/command.h>
#include <flowtrain/graph_command.h>

namespace flowtrain {

Command::~Command() = default;
GraphReader::~GraphReader() = default;
GraphCommand::~GraphCommand() = default;

}  // namespace flowtrain
