// Atomic.h: which read-modify-write stands for add, max and min of a type.
#pragma once

#include "lang/Type.h"

#include "dialect/Tile.h"

namespace nereid::lang {

// `kind` is Add, Max, Min or one that fits every type; the signless IR has one kind for each sign and for floats.
tile::RmwKind rmwKindFor(tile::RmwKind kind, const Type &element);

} // namespace nereid::lang
