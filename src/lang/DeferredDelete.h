// DeferredDelete.h: objects of compile-time Python that can be nested without bound (lists in lists in lists) are
// deleted one after the other, not one inside the other: a chain of a million would overflow the stack.
#pragma once

#include <memory>

namespace nereid::lang {

// Deletes now, or, when called from within another deletion, after that one.
void deleteLater(void *object, void (*destroy)(void *));

template <class T> std::shared_ptr<T> makeNested(T value) {
  return std::shared_ptr<T>(new T(std::move(value)), [](T *object) {
    deleteLater(const_cast<std::remove_const_t<T> *>(object), [](void *raw) { delete static_cast<T *>(raw); });
  });
}

} // namespace nereid::lang
