export const system = {
  title: 'System',
} as const;
