import { Menu } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { AuditObjectType } from '../../api/audit.ts';
import { audit } from '../../texts/audit.ts';

/** Opens the changes of an object that has no page of its own. */
export function AuditMenuItem({ type, id }: { type: AuditObjectType; id: string | number }) {
  return (
    <Menu.Item
      leftSection={<IconHistory size={16} stroke={1.6} />}
      renderRoot={(props) => (
        <Link
          {...props}
          to="/administration/audit-log"
          search={{ object_type: type, object_id: String(id) } as never}
        />
      )}
    >
      {audit.panel.action}
    </Menu.Item>
  );
}
