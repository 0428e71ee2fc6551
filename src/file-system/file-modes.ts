/** Modes of the files and folders that the service creates. */

/** Files that may hold secrets or personal data. */
export const PRIVATE_FILE_MODE = 0o600;
/** Folders with such files. */
export const PRIVATE_FOLDER_MODE = 0o700;
/** Course files. A web server or a backup program may read them if the folder above lets it. */
export const COURSE_FILE_MODE = 0o644;
/** Folders of a course. */
export const COURSE_FOLDER_MODE = 0o755;
