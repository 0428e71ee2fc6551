export const clients = {
  title: 'API clients',
} as const;
