/** A numbered page of a list of the UI's own interface. */
export interface PageOf<T> {
  data: T[];
  /** How many there are in all that fit the search. */
  total: number;
  limit: number;
  offset: number;
  /** Of lists that are counted up to a bound: there are more than `total`. */
  total_is_lower_bound?: boolean;
}
