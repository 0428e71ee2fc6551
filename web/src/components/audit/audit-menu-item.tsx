import { Menu } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { AuditSearch } from '../../api/audit.ts';
import { audit } from '../../texts/audit.ts';

/** Opens entries of the audit log: of an object that has no page of its own, or of a person. */
export function AuditMenuItem({
  search,
  label = audit.panel.action,
}: {
  search: AuditSearch;
  label?: string;
}) {
  return (
    <Menu.Item
      leftSection={<IconHistory size={16} stroke={1.6} />}
      renderRoot={(props) => <Link {...props} to="/administration/audit-log" search={search as never} />}
    >
      {label}
    </Menu.Item>
  );
}
