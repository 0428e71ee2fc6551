import { useState } from 'react';
import { useDebounced } from '../../utilities/use-debounced.ts';
import type { Choice, ChoiceFilter } from './choice.ts';

const TYPING_MS = 200;
const PAGE_SIZE = 50;

/** The text, type and page of the choices that are shown. */
export interface ChoiceSearch<T extends Choice> {
  /** The text as it is typed. It is searched after a pause. */
  typed: string;
  setTyped: (text: string) => void;
  /** Null: all types. */
  type: T['type'] | null;
  setType: (type: T['type'] | null) => void;
  /** From 1. */
  page: number;
  setPage: (page: number) => void;
  /** Whether there is a text or a type. */
  isSearch: boolean;
  filter: ChoiceFilter<T>;
}

/**
 * The search in the content dialog.
 * @param types the types to choose from
 */
export function useChoiceSearch<T extends Choice>(types: readonly T['type'][]): ChoiceSearch<T> {
  const [typed, setTyped] = useState('');
  const [type, setType] = useState<T['type'] | null>(null);
  const search = useDebounced(typed.trim(), TYPING_MS);
  // Another search or type starts at its first page.
  const [at, setAt] = useState({ search, type, page: 1 });
  const page = at.search === search && at.type === type ? at.page : 1;
  return {
    typed,
    setTyped,
    type,
    setType,
    page,
    setPage: (chosen) => setAt({ search, type, page: chosen }),
    isSearch: search !== '' || type !== null,
    filter: {
      types: type === null ? types : [type],
      search,
      limit: PAGE_SIZE,
      offset: (page - 1) * PAGE_SIZE,
    },
  };
}
