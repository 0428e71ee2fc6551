/** Units of size, in bytes or characters. */
export const KIB = 2 ** 10;
export const MIB = 2 ** 20;
export const GIB = 2 ** 30;
export const TIB = 2 ** 40;
