import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../problems/error-message.ts';

/** Result codes of SQLite. */
const SQLITE_FULL = 13;
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Why a folder cannot be created or written, and what to do, without the last full stop. For other errors than a file in its
 * place or above it, a file system that is read-only and a full disk: their message.
 */
export function folderProblem(error: unknown): string {
  const { code, errcode, path: file } = (error ?? {}) as NodeJS.ErrnoException & { errcode?: number };
  if (FULL.has(code ?? '') || errcode === SQLITE_FULL) return 'the disk is full. Make room on it';
  if (file === undefined) return messageOf(error);
  const nearest = nearestExisting(file);
  if (code === 'EEXIST' || code === 'ENOTDIR') return `${nearest} is a file. Name a folder`;
  // Node says that folders are missing if it cannot create them for that reason.
  if (code === 'EROFS' || (code === 'ENOENT' && isReadOnly(nearest)))
    return `the file system of ${nearest} is read-only. Mount it for writing`;
  return messageOf(error);
}

function nearestExisting(file: string): string {
  const parent = path.dirname(file);
  return existsSync(file) || parent === file ? file : nearestExisting(parent);
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}
