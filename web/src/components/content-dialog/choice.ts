import type { UseQueryResult } from '@tanstack/react-query';
import type { FocusType } from '../../../../src/events/catalogue.ts';
import type { ListResponse } from '../../../../src/ui-api/list-query.ts';

/** An item that can be chosen. */
export interface Choice {
  type: FocusType;
  id: number;
  name: string;
  location: string;
  /** Whether it was added before. */
  held: boolean;
}

/** A page of the choices, as a query. */
export type FoundChoices<T> = Pick<
  UseQueryResult<ListResponse<T>>,
  'data' | 'error' | 'isPlaceholderData' | 'refetch'
>;

/** The search for choices. */
export interface ChoiceFilter<T extends Choice> {
  types: readonly T['type'][];
  search: string;
  limit: number;
  offset: number;
}
