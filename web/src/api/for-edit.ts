/** Options of a query that a form starts from: read when the form opens, and not again while it is open. */
export const FOR_EDIT = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;
