export const accounts = {
  title: 'Accounts',
} as const;
