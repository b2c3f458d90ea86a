// Itertools.cpp: the modules itertools and functools.
#include "lang/evaluate/library/Tables.h"

#include <algorithm>

namespace nereid::lang {

namespace {

Value cartesianProduct(LibraryCall &call) {
  std::vector<Values> pools;
  for (const Value &iterable : call[0].asTuple()->items)
    pools.push_back(call.eval.iterate(iterable));
  Integer repeat = call.integer(1, 1);
  constexpr Integer kMaxRepeat = 64;
  if (repeat < 0 || repeat > kMaxRepeat)
    call.session().fail("`itertools.product` repeats from 0 to " + integerText(kMaxRepeat) + " times at compile time");
  std::vector<Values> once = repeat == 0 ? std::vector<Values>() : pools;
  if (repeat == 0)
    pools.clear();
  for (Integer i = 1; i < repeat; ++i)
    pools.insert(pools.end(), once.begin(), once.end());
  std::vector<Values> rows{{}};
  for (const Values &pool : pools) {
    call.eval.allocate(rows.size() * pool.size());
    size_t length = rows.empty() ? 0 : rows[0].size() + 1;
    call.session().step(rows.size() * pool.size() * (8 + length)); // each row is a new tuple
    call.session().make(rows.size() * pool.size() * length * sizeof(Value));
    std::vector<Values> longer;
    for (const Values &row : rows)
      for (const Value &item : pool) {
        longer.push_back(row);
        longer.back().push_back(item);
      }
    rows = std::move(longer);
  }
  Values result;
  for (Values &row : rows)
    result.push_back(Value::tuple(std::move(row)));
  return makeIterator(std::move(result));
}

Value chain(LibraryCall &call) {
  Values result;
  for (const Value &iterable : call[0].asTuple()->items)
    for (Value &item : call.eval.iterate(iterable))
      result.push_back(std::move(item));
  call.eval.allocate(result.size());
  return makeIterator(std::move(result));
}

Value chainFromIterable(LibraryCall &call) {
  LibraryCall inner{call.eval, call.function, {Value::tuple(call.eval.iterate(call[0]))}};
  return chain(inner);
}

void choose(LibraryCall &call, const Values &pool, size_t count, bool ordered, bool repeated,
            std::vector<size_t> &picked, Values &result) {
  call.session().step();
  if (picked.size() == count) {
    Values row;
    for (size_t index : picked)
      row.push_back(pool[index]);
    result.push_back(Value::tuple(std::move(row)));
    call.eval.allocate(1 + count);
    return;
  }
  size_t first = ordered || picked.empty() ? 0 : picked.back() + (repeated ? 0 : 1);
  // Without repetition, enough items must be left for the places that are.
  size_t reserved = ordered || repeated ? 0 : count - picked.size() - 1;
  for (size_t i = first; i + reserved < pool.size(); ++i) {
    if (ordered && std::ranges::find(picked, i) != picked.end())
      continue;
    picked.push_back(i);
    choose(call, pool, count, ordered, repeated, picked, result);
    picked.pop_back();
  }
}

Value chosen(LibraryCall &call, bool ordered, bool repeated) {
  Values pool = call.eval.iterate(call[0]), result;
  std::vector<size_t> picked;
  Integer count = call[1] && !call[1].isNone() ? call.integer(1) : Integer(pool.size());
  if (count < 0)
    call.session().fail("`" + std::string(call.function.name) + "` of " + integerText(count) + " items");
  if (!repeated && count > Integer(pool.size()))
    return makeIterator(Values());
  constexpr Integer kMaxChosen = 200; // the choice is made on the stack
  if (count > kMaxChosen)
    call.session().fail("`" + std::string(call.function.name) + "` of more than " + integerText(kMaxChosen) +
                            " items is not supported at compile time",
                        {}, "NotImplementedError");
  choose(call, pool, size_t(count), ordered, repeated, picked, result);
  return makeIterator(std::move(result));
}
Value combinations(LibraryCall &call) { return chosen(call, false, false); }
Value combinationsRepeated(LibraryCall &call) { return chosen(call, false, true); }
Value permutations(LibraryCall &call) { return chosen(call, true, false); }

Value repeat(LibraryCall &call) {
  Integer count = call.integer(1);
  call.eval.allocate(size_t(std::clamp(count, Integer(0), Integer(1) << 40)));
  return makeIterator(Values(size_t(std::max(count, Integer(0))), call[0]));
}

Value accumulate(LibraryCall &call) {
  Values items = call.eval.iterate(call[0]);
  return makeIterator([&](Values &result) {
    if (call[2] && !call[2].isNone())
      result.push_back(call[2]);
    for (const Value &item : items) {
      if (result.empty())
        result.push_back(item);
      else
        result.push_back(call[1] && !call[1].isNone()
                             ? call.eval.call(call[1], Values{result.back(), item})
                             : call.eval.binary(syntax::BinaryOperator::Add, result.back(), item));
    }
  });
}

Value starmap(LibraryCall &call) {
  Values rows = call.eval.iterate(call[1]);
  return makeIterator([&](Values &result) {
    for (const Value &row : rows)
      result.push_back(call.eval.call(call[0], call.eval.iterate(row)));
  });
}

// islice(items, stop) and islice(items, start, stop, step): no more is taken than is asked for.
Value islice(LibraryCall &call) {
  auto bound = [&](size_t index, Integer whenNone) {
    Integer value = call[index] && !call[index].isNone() ? call.integer(index) : whenNone;
    if (value < 0)
      call.session().fail("the bounds of `itertools.islice` are None or 0 and above");
    return value;
  };
  constexpr Integer kEnd = Integer(1) << 62;
  Integer start = call[2] ? bound(1, 0) : 0, stop = call[2] ? bound(2, kEnd) : bound(1, kEnd), step = bound(3, 1);
  if (step == 0)
    call.session().fail("the step of `itertools.islice` is 1 and above");
  Values result;
  ConstEval::Cursor cursor(call.eval, call[0]);
  Integer wanted = start;
  for (Integer i = 0; i < stop; ++i) {
    std::optional<Value> item = cursor.next();
    if (!item)
      break;
    if (i == wanted) {
      result.push_back(std::move(*item));
      wanted += std::min(step, kEnd);
    }
  }
  return makeIterator(std::move(result));
}

Value pairwise(LibraryCall &call) {
  Values items = call.eval.iterate(call[0]), result;
  for (size_t i = 0; i + 1 < items.size(); ++i)
    result.push_back(Value::tuple({items[i], items[i + 1]}));
  return makeIterator(std::move(result));
}

Value unknownIterator(LibraryCall &call) { return makeOpaque(std::string(call.function.name) + "()"); }

using enum LibraryFunction::Takes;
const LibraryFunction chainFunction{"itertools.chain", "*iterables", chain};
const LibraryFunction itertoolsFunctions[] = {
    {"itertools.product", "*iterables repeat?", cartesianProduct},
    {"itertools.chain", "*iterables", chain},
    {"itertools.combinations", "iterable count", combinations},
    {"itertools.combinations_with_replacement", "iterable count", combinationsRepeated},
    {"itertools.permutations", "iterable count?", permutations},
    {"itertools.repeat", "value times", repeat},
    {"itertools.accumulate", "iterable func? initial?", accumulate},
    {"itertools.starmap", "function rows", starmap},
    {"itertools.islice", "iterable a b? c?", islice},
    {"itertools.pairwise", "iterable", pairwise},
    {"itertools.count", "start? step?", unknownIterator, Unknown},
    {"itertools.cycle", "iterable", unknownIterator, Unknown},
    {"itertools.groupby", "iterable key?", unknownIterator, Unknown},
    {"itertools.zip_longest", "*iterables fillvalue?", unknownIterator, Unknown},
};
const LibraryFunction fromIterable{"itertools.chain.from_iterable", "iterables", chainFromIterable};

// itertools.chain is called, and has an attribute: a class with a constructor can do both.
void populateItertools(Scope &globals) {
  auto cls = std::make_shared<Class>();
  cls->name = "chain";
  cls->attributes["__new__"] = &chainFunction;
  cls->attributes["from_iterable"] = &fromIterable;
  globals.names["chain"] = cls;
}

Value applyPartial(LibraryCall &call) {
  const Values &bound = call[0].asTuple()->items; // function, positional, keywords
  std::vector<CallArgument> arguments;
  for (const Value &value : bound[1].asTuple()->items)
    arguments.push_back({value, "", call.session().place()});
  for (const Value &value : call[1].asTuple()->items)
    arguments.push_back({value, "", call.session().place()});
  auto keywords = std::make_shared<DictObject>(*bound[2].object<DictObject>());
  for (auto &[key, value] : call[2].object<DictObject>()->items)
    setItem(*keywords, key, value);
  for (auto &[key, value] : keywords->items)
    arguments.push_back({value, toString(key), call.session().place()});
  return call.eval.call(bound[0], std::move(arguments));
}
const LibraryFunction partialCall{"functools.partial", "bound *arguments **options", applyPartial, Anything};
Value makePartial(LibraryCall &call) { return makeMethod(Value::tuple({call[0], call[1], call[2]}), &partialCall); }

const LibraryFunction same{"functools.decorator", "function", firstArgument, Unknown};
// @lru_cache and @lru_cache(maxsize=None): the cache changes nothing.
Value cacheDecorator(LibraryCall &call) { return call[0] && call[0].object<Function>() ? call[0] : Value(&same); }
Value wraps(LibraryCall &) { return &same; }

Value reduce(LibraryCall &call) {
  Value result = call[2];
  for (const Value &item : call.eval.iterate(call[1]))
    result = result ? call.eval.call(call[0], Values{result, item}) : item;
  if (!result)
    call.session().fail("`reduce` of nothing", {}, "TypeError");
  return result;
}

Value totalOrdering(LibraryCall &call) {
  if (auto *cls = call[0].object<Class>())
    cls->attributes["__total_ordering__"] = true;
  return call[0];
}

Value cachedProperty(LibraryCall &call) {
  auto wrapper = makeInstance("property");
  wrapper->fields["fget"] = call[0];
  if (auto *function = call[0].object<Function>())
    wrapper->fields["cachedAs"] = function->name;
  return wrapper;
}

const LibraryFunction functoolsFunctions[] = {
    {"functools.partial", "function *arguments **options", makePartial, Unknown},
    {"functools.lru_cache", "maxsize? typed?", cacheDecorator, Unknown},
    {"functools.cache", "function", firstArgument, Unknown},
    {"functools.wraps", "function *rest **options", wraps, Unknown},
    {"functools.update_wrapper", "wrapper wrapped", firstArgument, Unknown},
    {"functools.reduce", "function iterable initial?", reduce},
    {"functools.total_ordering", "cls", totalOrdering, Unknown},
    {"functools.cached_property", "function", cachedProperty, Unknown},
};

} // namespace

const LibraryModule itertoolsModule{"itertools", itertoolsFunctions, populateItertools},
    functoolsModule{"functools", functoolsFunctions, nullptr, true};

} // namespace nereid::lang
