import { assistant, decision, failure, question, ran, request, user, type PlantedSession } from "./planted-session.ts";

const shell = (command: string, printed: string) => ran("shell", { command }, printed);

/** Sessions with coding agents, as people have them in Chinese. */
export const chineseCoding: readonly PlantedSession[] = [
  {
    name: "订单",
    language: "zh",
    setting: "coding",
    facts: [
      request(["文件名", "空格", "老系统"], user("等等，导出的文件名里别带空格，他们那边的老系统认不出来")),
      decision(
        ["雪花算法", "自增"],
        user("嗯，两种我都用过，各有各的坑。那就这么定了吧，订单号用雪花算法，不用数据库自增。"),
      ),
      failure(
        ["uk_order_no", "workerId"],
        shell(
          "kubectl logs deploy/order-api --tail=12",
          `2026-03-18 02:14:55.118  INFO 1 --- [nio-8080-exec-7] c.s.order.web.OrderController : submit sku=71002 qty=3
2026-03-18 02:14:55.131 ERROR 1 --- [nio-8080-exec-7] o.a.c.c.C.[.[.[/].[dispatcherServlet] : Servlet.service() threw exception
org.springframework.dao.DuplicateKeyException:
### Error updating database.  Cause: java.sql.SQLIntegrityConstraintViolationException: Duplicate entry '715520931840' for key 'uk_order_no'
	at org.mybatis.spring.MyBatisExceptionTranslator.translateExceptionIfPossible(MyBatisExceptionTranslator.java:87)
	at com.shop.order.mapper.OrderMapper.insert(Unknown Source)
	at com.shop.order.service.OrderService.submit(OrderService.java:142)`,
        ),
        assistant(
          "查了一下，不是并发的问题。两个实例的 workerId 是一样的，容器重启之后都读到了默认值 1，所以生成的号撞了。",
        ),
      ),
      question(["退款", "审批流", "老周"], user("退款要不要走原来的审批流，我还得问问财务的老周。你先弄别的。")),
    ],
  },
  {
    name: "采集",
    language: "zh",
    setting: "data",
    facts: [
      request(
        ["一秒最多一次", "小网站"],
        user("写得挺好的，谢谢。麻烦您抓取的时候慢一点，一秒最多一次就好，人家是个小网站，别给人添麻烦。"),
      ),
      decision(
        ["地址字段", "整段保留", "高德"],
        user("地址要不要拆成省市区？"),
        assistant(
          "现在拆的话准确率只有八成，后面还得返工。那地址字段我们就不拆了，整段保留，等高德那边的接口批下来再说。",
        ),
        user("可以"),
      ),
      failure(
        ["0xb5", "GBK", "最后两个月"],
        shell(
          "python clean.py data/raw",
          `读取 data/raw/shop_2023_01.csv ... 1204 行
读取 data/raw/shop_2023_02.csv ...
Traceback (most recent call last):
  File "clean.py", line 61, in <module>
    frame = pd.read_csv(path)
  File "pandas/_libs/parsers.pyx", line 574, in pandas._libs.parsers.TextReader.__cinit__
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xb5 in position 13: invalid start byte`,
        ),
        assistant("原来这批文件是 GBK 的，只有最后两个月换成了 UTF-8，所以不能按目录一刀切，得逐个文件判断。"),
      ),
      question(
        ["两个电话", "当成两家"],
        assistant(
          "去重已经跑完了，一共合掉三百多条，明细在 merged.csv 里。还有一点我吃不准：同一家店出现两个电话的，是该合并，还是当成两家？您看呢？",
        ),
        user("我想想"),
      ),
    ],
  },
  {
    name: "小程序",
    language: "zh",
    setting: "coding",
    facts: [
      request(["十四像素", "我妈"], user("字号最小十四像素哈，我妈那一辈人要用的")),
      decision(["TypeScript", "等新人"], user("先不上 TypeScript 了，组里就我一个人会，等新人来了再讨论")),
      failure(
        ["url not in domain list", "api 子域"],
        ran(
          "devtools_console",
          { page: "pages/home/index" },
          `[system] Launch Time: 812 ms
[info] onShow
[error] {"errMsg":"request:fail url not in domain list","errno":600002}
    at Function.fail (pages/home/index.js:44:21)
    at WAServiceMainContext.js:1:198023`,
        ),
        assistant("真机上才有，是因为合法域名里只登记了 www，而接口走的是 api 子域，在后台补一条就行，代码不用动。"),
      ),
      question(["勾选框", "法务"], user("登录页到底放不放协议勾选框？法务一直没回我")),
    ],
  },
  {
    name: "机房",
    language: "zh",
    setting: "machines",
    facts: [
      request(
        ["日志保留半年", "凌晨两点"],
        user("三点要求：\n一、数据库端口不对外\n二、日志保留半年\n三、重启只能在凌晨两点到四点之间"),
      ),
      decision(
        ["主从切换", "哨兵只负责报警"],
        assistant("几个方案的代价都写在上面的表里了。商量下来，主从切换还是人工来做，哨兵只负责报警。"),
        user("嗯，就这样"),
      ),
      failure(
        ["binlog", "expire_logs_days"],
        shell(
          "systemctl status mysqld | tail -4; df -h /data",
          `Nov 02 03:11:20 db-01 mysqld[2210]: 错误：磁盘配额已满，无法写入 /data/mysql/binlog.000931
Nov 02 03:11:20 db-01 mysqld[2210]: [ERROR] [MY-010907] Error writing file, errno: 122 - Disk quota exceeded
Nov 02 03:11:21 db-01 systemd[1]: mysqld.service: Main process exited, code=exited, status=1/FAILURE
文件系统        容量  已用  可用 已用% 挂载点
/dev/vdb1       500G  500G     0  100% /data`,
        ),
        assistant(
          "占满磁盘的不是业务数据，是攒了大半年的 binlog：升级的时候 expire_logs_days 被还原成 0，从那以后就没清过。",
        ),
      ),
      question(["老机房", "没流量"], user("老机房那两台到底还有没有人在用啊，登上去看着是活的，又没流量")),
    ],
  },
  {
    name: "网关",
    language: "zh",
    setting: "coding",
    facts: [
      request(["压测脚本", "复现"], user("回头记得把压测脚本也一起提交，光有报告别人没法复现")),
      decision(
        ["两级", "Redis 一层"],
        user("缓存这块我看了你的对比，两级的收益不到百分之五，还多一堆失效的麻烦。不做两级了，就 Redis 一层，简单。"),
      ),
      failure(
        ["concurrent map writes", "健康检查", "peers"],
        shell(
          "go test -run TestFailover ./gateway/...",
          `=== RUN   TestFailover
fatal error: concurrent map writes

goroutine 84 [running]:
gateway/pool.(*Pool).refresh(0xc0001a2000)
	/src/gateway/pool/pool.go:97 +0x1b4
created by gateway/pool.(*Pool).Start in goroutine 12
	/src/gateway/pool/pool.go:41 +0x9e
FAIL	gateway/pool	0.412s`,
        ),
        assistant(
          "问题在健康检查里，它没有拿锁就去刷新 peers 表，跟转发的协程撞上了。加上写锁之后跑了五百遍都没再出现。",
        ),
      ),
      question(["3 秒还是 5 秒", "网关的同事"], user("超时到底设 3 秒还是 5 秒，网关的同事各说各的，我再约个会吧")),
    ],
  },
  {
    name: "固件",
    language: "zh",
    setting: "machines",
    facts: [
      request(["9600", "老设备"], user("串口波特率就 9600，别动它，动了老设备就连不上了")),
      decision(["蓝牙砍掉", "只做 Wi-Fi"], user("我拍板：蓝牙砍掉，这一版只做 Wi-Fi")),
      failure(
        ["LoadProhibited", "注销监听"],
        shell(
          "idf.py monitor",
          `I (4121) wifi: state: run -> init (bb0)
I (4130) app: link lost, closing session
Guru Meditation Error: Core  1 panic'ed (LoadProhibited). Exception was unhandled.
Core  1 register dump:
PC      : 0x400d3f1c  PS      : 0x00060730  A0      : 0x800d4a55
EXCVADDR: 0x00000014  LBEG    : 0x4000c2e0
Backtrace: 0x400d3f19:0x3ffbb5a0 0x400d4a52:0x3ffbb5c0`,
        ),
        assistant(
          "回溯停在断线的回调里：回调来的时候对象早就析构了，析构函数里注销监听的那一行不知什么时候被注释掉了。",
        ),
      ),
      question(
        ["零下", "采样没校准"],
        assistant(
          "低温那一组数据画好了，曲线附在报告后面。电池在零下的时候掉电特别快，是电芯本身的问题，还是采样没校准，光看现在的数据分不出来。",
        ),
      ),
    ],
  },
];
