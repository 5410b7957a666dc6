/** Words that tell what a sentence is about, by what they tell. Words stand alone; parts may stand inside a word. */
interface Cues {
  /** For scripts that put spaces between words. A `*` stands for the rest of a word. */
  readonly words: string;
  /** For scripts that do not. */
  readonly parts: string;
}

const decision: Cues = {
  words: [
    "decid* decision* agreed must mustn't shall should shouldn't required requirement* mandatory never always ensure",
    "chose chosen prefer* approved rejected confirmed deadline* constraint* forbidden need_to needs_to have_to has_to",
    "do_not don't instead_of going_with make_sure settle settled settled_on",
    "go_with goes_with went_with stick_with sticking_with let's_not agree deal final finally opt opted forget_about",
    "dropped_the scrapped postponed after_all in_the_end all_in_all on_balance to_sum_up in_short from_now_on by_default",
    "entschieden entscheid* beschlossen muss müssen soll sollen darf dürfen vereinbart niemals immer bitte_nicht",
    "décid* doit doivent il_faut obligatoire* jamais toujours convenu",
    "decidi* debe deben tiene_que hay_que obligatori* nunca siempre acordad* deve devono deciso precisa",
    "решил* решен* должен должн* нужно обязательно необходимо нельзя запрещ* всегда никогда",
  ].join(" "),
  parts: [
    "决定 必须 不得 不能 不要 务必 要求 需要 应该 应当 确定 确认 同意 采用 选择 禁止 一定 约定 截止 规定 改为 改用 优先",
    "定了 定下 就定 敲定 商定 议定 说定 说好 讲好 谈妥 拍板 商量 综合 最终 最后还是 就这么 就这样 就按 为准 沿用",
    "不做 不用 不再 不上 先不 暂不 暂时不 放弃 取消 砍掉 砍了 算了",
    "決定 必須 不得 應該 確認 採用 選擇 決め 決ま 必ず 必要 べき なければ ください 결정 반드시 해야 필수 금지 확정",
  ].join(" "),
};

const failure: Cues = {
  words: [
    "error* exception* fail* fatal traceback panic* crash* denied refused timeout* timed_out cannot could_not couldn't",
    "not_found unable broken bug* enoent eacces segfault fehler* fehlgeschlagen erreur* échec* échou* fallo falló erro",
    "aborted killed unreachable unhandled uncaught conflict* corrupt* deadlock* expired violat* undefined_control",
    "ошибк* не_удалось сбой errore",
  ].join(" "),
  parts:
    "错误 失败 异常 报错 出错 超时 崩溃 故障 中断 冲突 已满 被拒 拒绝 不存在 被占用 已过期 无权 非法 无效 溢出 死锁 無法 无法 錯誤 失敗 エラー 例外 오류 실패 Error Exception",
};

const open: Cues = {
  words: [
    "open_question* open_point* still_open remains_open left_open put_off tbd to_be_decided to_be_confirmed undecided unclear unresolved not_yet_decided",
    "not_sure unsure unsettled unsolved unexplained unanswered haven't_decided hasn't_decided hasn't_been_decided no_clue no_idea dunno",
    "nobody_knows nobody_here no_one_knows who_knows don't_know_yet can't_tell cannot_tell hard_to_say wonder wondering back_and_forth",
    "couldn't_work_out can't_work_out couldn't_find_out couldn't_figure no_explanation an_explanation no_answer waiting_to_hear",
    "haven't_heard still_waiting yet_to remains_to remains_whether up_to_you park park_it parked only_a_maybe need_to_ask have_to_ask i'll_ask ask_me_again to_you leave_it_open",
    "noch_offen noch_unklar ungeklärt à_définir por_definir не_решено",
  ].join(" "),
  parts: [
    "待定 待确认 待解决 未决 未定 还没定 尚不清楚 还没决定 还没有决定 未確定 要確認 미정",
    "没定 没想好 没想清楚 没准 没谱 没把握 没结论 没有结论 没答复 没有答复 没回复 没回我 没回音 没消息 说不清 说不准 说不好 不好说",
    "吃不准 拿不准 摸不准 不确定 不清楚 不晓得 看不出 分不出 查不出 没查出 没找到原因 找不到原因 没弄明白 没搞明白 原因不明",
    "暂时没 暂未 尚未 有待 存疑 问号 两可 谁也不 没人知道 得问 问问 问一下 再讨论 再商量 先放着 先留着 先搁着 要不要 是不是该 到底(?![^。！]*[？?])",
  ].join(" "),
};

const naming: Cues = {
  words: "named called owner* owns customer* client* contact* email project* version* heißt kunde* s'appelle se_llama",
  parts: "名字 姓名 名叫 名为 客户 负责人 联系人 项目 版本 叫做 名前 担当 이름 담당",
};

const deferral: Cues = {
  words:
    "don't_know do_not_know not_sure no_idea later let_me_check let_me_think i'll_think none_so_far not_yet weiß_nicht plus_tard más_tarde не_знаю позже",
  parts: "不知道 不确定 稍后 以后再 再说 再定 未定 我想想 想一想 先留着 先放着 回头再 わかりません 後で 모르",
};

/** What people want to be kept to, said less firmly than a decision. */
const wish: Cues = {
  words: [
    "keep keeps kept stay stays leave rather be_nice i'd_love wish wishes hate hates instead only until unless without avoid",
    "at_least at_most no_more_than maximum minimum rule careful ooc out_of_character remember whenever every_time as_long_as no_longer anymore for_now before_you mind",
    "lieber nur ohne höchstens mindestens plutôt seulement sans au_moins mejor solo sin al_menos лучше только без",
  ].join(" "),
  parts: [
    "别(?<!特别|区别|级别|类别|分别|性别|识别|差别|告别)(?![的人处]) 麻烦 最好 记得 只能 只做 最多 最少 至少 最小 最大",
    "场外 戏外 一律 尽量 不许 不准 不想 想要 希望 喜欢 讨厌 保留 统一 就行 就好 不超过 以内 能不能 放过 留着",
    "しないで だけ ほしい できれば 말고 바랍니다",
  ].join(" "),
};

/** What was found to be behind a failure, or was put right. */
const finding: Cues = {
  words: [
    "turns_out turned_out culprit root_cause that's_why which_is_why found_it found_the_cause my_mistake my_slip my_bad my_fault",
    "mixed_up oops mistaken overlooked you're_right quite_right good_catch something's_off is_off is_wrong was_wrong",
    "die_ursache mein_fehler la_cause mon_erreur la_causa culpa_mía причина",
  ].join(" "),
  parts: [
    "原来是 原来这 原来他 难怪 怪不得 查到 查明 查出来 查了一下 定位到 问题在 问题出 出在 根源 罪魁",
    "疏忽 写错 弄错 搞错 记错 看错 我错了 不对啊 不对劲 原因は 間違 원인은",
  ].join(" "),
};

function escapeWord(word: string): string {
  return word.replaceAll("_", "[ ]").replaceAll("'", "['’]").replaceAll("*", "\\p{L}*");
}

/** One pattern without the `g` flag, so that testing it keeps no state between calls. */
function patternOf({ words, parts }: Cues): RegExp {
  const alone = `(?<![\\p{L}\\p{N}_])(?:${words.split(" ").map(escapeWord).join("|")})(?![\\p{L}\\p{N}_])`;
  return new RegExp(`${alone}|${parts.split(" ").join("|")}`, "iu");
}

export const cueWords = { decision, failure, open, naming, deferral, wish, finding } as const satisfies Record<
  string,
  Cues
>;

export type Cue = keyof typeof cueWords;

/** What a text is tried on. */
export type Pattern = Pick<RegExp, "test">;

/** A large pattern, made when it is first tried: a program that summarises nothing does not pay for it. */
function cuePattern(cue: Cue): Pattern {
  let made: RegExp | undefined;
  return {
    test(text) {
      made ??= patternOf(cueWords[cue]);
      return made.test(text);
    },
  };
}

export const cues: Record<Cue, Pattern> = {
  decision: cuePattern("decision"),
  failure: cuePattern("failure"),
  open: cuePattern("open"),
  naming: cuePattern("naming"),
  deferral: cuePattern("deferral"),
  wish: cuePattern("wish"),
  finding: cuePattern("finding"),
};
