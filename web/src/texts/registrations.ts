export const registrations = {
  title: 'Registrations',
} as const;
