/** The styles of a list that fits a phone: the table hides these columns there, and what is left scrolls by itself. */
export function narrow(...hidden: readonly string[]) {
  const columns = hidden.map((name) => `& .column-${name}`).join(', ')
  return {
    '& .RaList-main, & .RaList-content': { minWidth: 0 },
    '& .RaDataTable-tableWrapper': { overflowX: 'auto' },
    '@media (max-width: 599px)': { [columns]: { display: 'none' } },
  }
}
