import { Radio, Stack } from '@mantine/core';
import type { Role } from '../../api/session.ts';
import { administrators as texts } from '../../texts/administrators.ts';
import { navigation } from '../../texts/navigation.ts';

const ROLES: readonly Role[] = ['admin', 'integrator', 'viewer'];

/** The roles, and what each of them allows. */
export function RoleField({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  return (
    <Radio.Group
      label={texts.columns.role}
      value={value}
      onChange={(chosen) => {
        const role = ROLES.find((each) => each === chosen);
        if (role !== undefined) onChange(role);
      }}
    >
      <Stack gap="xs" mt={6}>
        {ROLES.map((role) => (
          <Radio
            key={role}
            value={role}
            label={navigation.roles[role]}
            description={texts.roleMeanings[role]}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
