import { useRef, useState } from 'react';

/** What is wrong with the fields of a form, by their names. */
export type Faults<Field extends string> = Partial<Record<Field, string>>;

/**
 * The faults of the fields of a form. The first field with a fault gets the focus.
 * @param fields in the order of the page
 */
export function useFaults<Field extends string>(fields: readonly Field[]) {
  const [faults, setFaults] = useState<Faults<Field>>({});
  const places = useRef<Partial<Record<Field, HTMLDivElement | null>>>({});
  const focus = (field: Field) =>
    places.current[field]?.querySelector<HTMLElement>('input, button, textarea')?.focus();
  return {
    faults,
    focus,
    /** The `ref` of the element that contains a field. */
    place: (field: Field) => (element: HTMLDivElement | null) => {
      places.current[field] = element;
    },
    show: (found: Faults<Field>) => {
      setFaults(found);
      const first = fields.find((field) => found[field] !== undefined);
      if (first !== undefined) focus(first);
    },
    /** Adds the fault of a field, and leaves the focus where it is. */
    add: (field: Field, fault: string) => setFaults((others) => ({ ...others, [field]: fault })),
    /** Removes the fault of a field that has changed. */
    correct: (field: Field) =>
      setFaults((before) => {
        const { [field]: _corrected, ...others } = before;
        return others as Faults<Field>;
      }),
  };
}
