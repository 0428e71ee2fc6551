/** The registered subtags of languages that may follow that of a group of languages (IANA, RFC 5646 section 2.2.2). */
const EXTENDED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ar:
      'aao abh abv acm acq acw acx acy adf aeb aec afb ajp apc apd arb arq ars ary arz auz avl ayh ayl ' +
      'ayn ayp bbz pga shu ssh',
    kok: 'gom knn',
    lv: 'ltg lvs',
    ms:
      'bjn btj bve bvu coa dup hji jak jax kvb kvr kxd lce lcf liw max meo mfa mfb min mqg msi mui orn ' +
      'ors pel pse tmw urk vkk vkt xmm zlm zmi zsm',
    sgn:
      'ads aed aen afg ajs ase asf asp asq asw bfi bfk bog bqn bqy bvl bzs cds csc csd cse csf csg csl ' +
      'csn csq csr csx doq dse dsl dsz ecs ehs esl esn eso eth fcs fse fsl fss gds gse gsg gsm gss gus ' +
      'hab haf hds hks hos hps hsh hsl icl iks ils inl ins ise isg isr jcs jhs jks jls jos jsl jus kgi ' +
      'kvk lbs lgs lls lsb lsc lsg lsl lsn lso lsp lst lsv lsw lsy lws mdl mfs mre msd msr mzc mzg mzy ' +
      'nbs ncs nsi nsl nsp nsr nzs okl pgz pks prl prz psc psd psg psl pso psp psr pys rib rms rnb rsi ' +
      'rsl rsm rsn sdl sfb sfs sgg sgx slf sls sqk sqs sqx ssp ssr svk swl syy szs tse tsm tsq tss tsy ' +
      'tza ugn ugy ukl uks vgt vsi vsl vsv wbs xki xml xms yds ygs yhs ysl ysm zib zsl',
    sw: 'swc swh',
    uz: 'uzn uzs',
    zh: 'cdo cjy cmn cnp cpx csp czh czo gan hak hsn lzh mnp nan wuu yue',
  }),
);

/** The language subtag, a registered extended one, and the rest of a tag. */
const FORM = /^([a-z]{2,3})-([a-z]{3})(?=-|$)/i;

/** A tag without the subtag of the group of its language, if it has one: `zh-yue-HK` is `yue-HK` (RFC 5646 section 4.5). */
export function withoutLanguageGroup(tag: string): string {
  const [, group = '', language = ''] = FORM.exec(tag) ?? [];
  const extended = EXTENDED.get(group.toLowerCase())?.split(' ') ?? [];
  return extended.includes(language.toLowerCase()) ? tag.slice(group.length + 1) : tag;
}
