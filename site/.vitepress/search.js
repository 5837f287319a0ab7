/* The search in the browser: its index has one entry for each section. The functions are sent to the browser as their text, so that none
 * of them uses a name from outside. */

export const search = {
  miniSearch: {
    options: {
      /** Leaves out words that questions have and sections do not need, and the ends of others. */
      processTerm: (term) => {
        const common =
          ' a an and are can do does for from get has have how i in is it its make my of on or own that the there to use want'
          + ' what when where which who why will with without you your behind should would could by as be if only any after before '
        const word = term.toLowerCase().replace(/^[`'"(]+|[`'"),.?!]+$/g, '')
        if (word === '' || common.includes(` ${word} `)) return null
        return word.length > 5
          ? word.replace(/(?:ies|y)$/, 'i').replace(/(?:ing|ed|es|s)$/, '')
          : word.replace(/(?<=..[^s])s$/, '')
      },
    },
    searchOptions: {
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { title: 4, titles: 1, text: 1 },
      boostDocument: (id) => (id.startsWith('/api/') ? 0.05 : 1),
    },
  },
}
