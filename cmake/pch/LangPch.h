// LangPch.h: what the folders above `lang` share beside Pch.h: its values and its emitter are half of the time of such a file.
#pragma once

#include "pch/Pch.h"

#include "lang/Builtin.h"
#include "lang/Loader.h"
#include "lang/Value.h"
#include "lang/emit/EmitIR.h"
#include "lang/evaluate/ConstEval.h"
#include "nereid/nereid.hpp"

#include <chrono>
#include <filesystem>
#include <sstream>
#include <unordered_map>
