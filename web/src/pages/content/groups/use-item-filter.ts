import { useState } from 'react';
import type { GroupItem } from './group-draft.ts';

/** The number of items from which the list can be filtered. */
const MANY = 10;

/** The items that match a text: part of their name, their language, or their id. */
export function useItemFilter(items: readonly GroupItem[]) {
  const [search, setSearch] = useState('');
  // It stays when items are removed, because it may hold a search, or the focus.
  const [canSearch, setCanSearch] = useState(false);
  if (!canSearch && items.length > MANY) setCanSearch(true);
  const text = search.trim().toLocaleLowerCase();
  const shown =
    text === ''
      ? items
      : items.filter(
          ({ id, name, language }) =>
            name.toLocaleLowerCase().includes(text) ||
            language.toLocaleLowerCase() === text ||
            String(id) === text,
        );
  return { canSearch, search, setSearch, isFiltered: text !== '', shown };
}
