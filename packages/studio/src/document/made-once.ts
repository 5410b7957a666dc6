/** Makes something of an object once, for as long as the object is there. */
export function madeOnce<Source extends object, Made>(make: (source: Source) => Made): (source: Source) => Made {
  const known = new WeakMap<Source, { readonly made: Made }>();
  return (source) => {
    const found = known.get(source) ?? { made: make(source) };
    known.set(source, found);
    return found.made;
  };
}
