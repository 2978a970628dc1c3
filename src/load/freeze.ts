/** Freezes a value and everything that it leads to. Maps and sets keep their content too; template objects of wire are included. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    if (next instanceof Map) {
      open.push(...next.values());
      seal(next, ['set', 'delete', 'clear']);
    } else if (next instanceof Set) {
      open.push(...next);
      seal(next, ['add', 'delete', 'clear']);
    } else {
      open.push(...Object.values(next));
    }
    Object.freeze(next);
  }
  return value;
}

/** Object.freeze leaves the entries of a Map or Set open. */
function seal(collection: object, methods: readonly string[]): void {
  for (const method of methods) {
    Object.defineProperty(collection, method, {
      value: () => {
        throw new TypeError('the registry is frozen');
      },
    });
  }
}
